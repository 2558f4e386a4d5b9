import type { IDataObject } from 'n8n-workflow';

import type { Failure } from './endings';
import { Parts, Search } from './long-text';
import { type Mask, masked } from './redact';
import { Turns } from '../time/turns';
import { edited } from './walk';

/** What makes one of n8n's links good for an answer, as it stands in the link, escaped or not. */
const SIGNATURE = /(signature(?:=|%3d|\\u003d))[\w%.~+/-]{1,512}/gi;
const LONGEST = 'signature'.length + 6 + 512;

/** Masks the signatures of links: without them the links lead nowhere. */
const maskSignatures: Mask = Object.assign((text: string) => text.replace(SIGNATURE, '$1…'), {
	inTurns: async (text: string, turns: Turns) => {
		const parts = new Parts();
		const search = new Search(text, SIGNATURE, LONGEST, turns);
		let done = 0;
		for (let hit = await search.next(); hit !== undefined; hit = await search.next()) {
			parts.add(`${text.slice(done, hit.index)}${hit.match[1]}…`);
			done = hit.index + hit.match[0].length;
		}
		parts.add(text.slice(done));
		return parts.toString();
	},
});

/**
 * The failure of a question without the link on which it is answered, which the service may repeat: whoever sees the
 * execution need not be the one who is asked.
 */
export async function withoutSignatures(failure: Failure): Promise<Failure> {
	const turns = new Turns();
	const [message, description] = await Promise.all(
		[failure.message, failure.description].map((text) => masked(text, maskSignatures, turns)),
	);
	const problem = await edited(failure.problem, { mask: maskSignatures, whole: () => undefined }, turns);
	return {
		...failure,
		message: message ?? '',
		description: description ?? '',
		problem: (problem ?? null) as IDataObject | null,
	};
}
