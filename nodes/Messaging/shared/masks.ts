import { pathTo, placesIn } from './json';

/** Stands in for a secret that must neither be shown nor saved in a workflow. Sending this text is refused. */
export const HIDDEN_SECRET = '••••••••';

/** A masked API key: anywhere in a text, or on its own, where it may be short or without a prefix. */
const MASKED_KEY = /(?:acc|org)_…[^\s…"']{4}|^(?:acc_|org_)?…\S{0,4}$/;

/** What services themselves show in place of a secret. */
const OF_SERVICE = /^[*•]{4,}$/;

/** What in a value stands in place of a secret, and where; `undefined` if nothing does. */
export function maskIn(value: unknown): { mask: string; path: readonly string[] } | undefined {
	for (const place of placesIn(value)) {
		const { value: text } = place;
		if (typeof text !== 'string') continue;
		const isHidden = text.includes(HIDDEN_SECRET) || OF_SERVICE.test(text);
		if (isHidden) return { mask: 'a hidden secret', path: pathTo(place) };
		if (MASKED_KEY.test(text)) return { mask: 'a masked API key', path: pathTo(place) };
	}
	return undefined;
}
