import { holdsToken, KEY_NAMES, plainName } from '../json/key-fields';
import { Turns } from '../time/turns';
import { Parts, Search } from './long-text';
import { type Mask, masked, maskToken } from './redact';
import type { Reply } from './reply';
import { type Edit, edited } from './walk';

/**
 * The tokens of API keys in what the service answers, other than the key in use (see `redact.ts`).
 *
 * Recognised are, in any spelling (`apiKey`, `ApiKey`, `api_key`, `x-api-key`), what stands in a field that is named
 * after an API key or a token, in a list or an object of its own too; and text that has the shape of a token: `acc_` or
 * `org_` and at least eight characters that keys are made of. In results the shape counts only after a word such as
 * "X-API-KEY:", as in a curl command: an id of the user's own may begin like that.
 */

/** Fields that hold a token, beside those that hold an API key. */
const TOKEN_NAMES: ReadonlySet<string> = new Set([
	'accesstoken',
	'apikeys',
	'apikeytoken',
	'apikeyvalue',
	'apitoken',
	'token',
	'tokens',
]);

// "org_units" is a word; eight characters more, and it may be a token. How a token begins, goes on, and ends.
const HEAD = /(?<![A-Za-z0-9])(?:acc|org)_[A-Za-z0-9]/g;
const INSIDE = /[\w\-+/=.~%\\]/;
const LAST = /[\w\-+/=]/;
const FEWEST_INSIDE = 6;
const SHAPE = new RegExp(`${HEAD.source}${INSIDE.source}{${FEWEST_INSIDE},}${LAST.source}`, 'g');
const LABEL = /api[-_ ]?key\W{1,8}/;
const LABELLED = new RegExp(`(${LABEL.source})(${SHAPE.source})`, 'gi');
const LABELLED_HEAD = new RegExp(`(${LABEL.source})${HEAD.source}`, 'gi');
/** How long these beginnings are at most. */
const LONGEST_HEAD = 'acc_x'.length;
const LONGEST_LABELLED_HEAD = 'api key'.length + 8 + LONGEST_HEAD;

/** Three words or more: no token, but something said about one, as in `errors: { apiKey: ["The key is unknown"] }`. */
const SENTENCE = /\S\s+\S+\s+\S/;
/** How much of a text is looked at for that: no token is as long. */
const LONGEST_TOKEN = 2_000;

/** The text with everything masked that has the shape of a token. */
export const maskShapes: Mask = Object.assign((text: string) => text.replace(SHAPE, maskToken), {
	inTurns: async (text: string, turns: Turns) => await maskHeads(text, HEAD, LONGEST_HEAD, turns),
});

/** The text with the tokens masked that follow a word such as "X-API-KEY:". */
export const maskLabelled: Mask = Object.assign(
	(text: string) =>
		// Most values of a list are short or UUIDs, and end here.
		text.includes('_')
			? text.replace(LABELLED, (_, label: string, token: string) => label + maskToken(token))
			: text,
	{
		inTurns: async (text: string, turns: Turns) =>
			await maskHeads(text, LABELLED_HEAD, LONGEST_LABELLED_HEAD, turns),
	},
);

/**
 * A long text with the tokens masked that begin like this. A token itself may be of any length.
 *
 * @param head with a group for what stands before the token, if anything does
 */
async function maskHeads(text: string, head: RegExp, longest: number, turns: Turns): Promise<string> {
	const parts = new Parts();
	const search = new Search(text, head, longest, turns);
	let done = 0;
	for (let hit = await search.next(); hit !== undefined; hit = await search.next()) {
		const { index, match } = hit;
		const start = index + (match[1]?.length ?? 0);
		const end = await endOfToken(text, start + LONGEST_HEAD, turns);
		// What begins like one and is none may hold the beginning of one.
		if (end === undefined) search.from = index + 1;
		else {
			parts.add(text.slice(done, start));
			parts.add(maskToken(text.slice(start, end)));
			search.from = done = end;
		}
	}
	parts.add(text.slice(done));
	return parts.toString();
}

/** Where a token ends that has begun; `undefined` when it is none. */
async function endOfToken(text: string, from: number, turns: Turns): Promise<number | undefined> {
	let end: number | undefined;
	for (let at = from; at < text.length && INSIDE.test(text.charAt(at)); at++) {
		if (turns.overAfter(1)) await turns.next();
		if (at >= from + FEWEST_INSIDE && LAST.test(text.charAt(at))) end = at + 1;
	}
	return end;
}

/**
 * A body of a success with the tokens in it masked, in place; `undefined` when it is nested too deeply to be read. The
 * event loop turns while it is long.
 */
export async function maskTokens(body: unknown): Promise<unknown> {
	return await edited(body, tokenEdit(maskLabelled));
}

/** An answer as it may stand in an error, with the tokens in it masked, in place. */
export async function maskedReply(reply: Reply): Promise<Reply> {
	const turns = new Turns();
	const headers: Record<string, string> = {};
	for (const [name, value] of Object.entries(reply.headers)) {
		headers[name] = await masked(value, maskShapes, turns);
	}
	return { ...reply, headers, body: await edited(reply.body, tokenEdit(maskShapes), turns) };
}

/** The body with the key in use masked, in place; `undefined` when it is nested too deeply to be read. */
export async function maskKey(body: unknown, mask: Mask, key: string, turns = new Turns()): Promise<unknown> {
	// A key of digits only may come back as a number.
	const number = Number(key);
	return await edited(
		body,
		{
			mask,
			whole: (value) => (value === number && String(value) === key ? mask(key) : undefined),
		},
		turns,
	);
}

const EVERY_NAME: ReadonlySet<string> = new Set([...KEY_NAMES, ...TOKEN_NAMES]);

function tokenEdit(mask: Mask, names = EVERY_NAME, plain = remembering(plainName)): Edit {
	return {
		mask,
		whole(value, field, above) {
			if (typeof value !== 'string') return undefined;
			const isToken = holdsToken(plain(field), plain(above), names);
			return isToken && !SENTENCE.test(value.slice(0, LONGEST_TOKEN)) ? maskToken(value) : undefined;
		},
		// What a channel is set up with is the user's own: a "token" in it is no key of this service, and masked it would
		// be lost when the parameters are written back.
		below(field) {
			return plain(field) === 'parameters' ? tokenEdit(mask, KEY_NAMES, plain) : this;
		},
	};
}

/** The same function, made for names: a list repeats them in all its records, and each is worked out once. */
function remembering(change: (name: string) => string): (name: string) => string {
	const known = new Map<string, string>();
	return (name) => {
		let changed = known.get(name);
		if (changed === undefined) {
			changed = change(name);
			known.set(name, changed);
		}
		return changed;
	};
}
