/** The messages that the fuzz sends. */
import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { areGood, mostly, weighted, type Drawn } from './draw.mts';
import { sendThrough } from '../../dev/harness/workflows.mts';

/** One input item, and what is known about it before the run. */
export interface FuzzItem {
	readonly json: Record<string, unknown>;
	/** Whether it can be sent: undefined where the fuzz makes no prediction. */
	readonly isSendable: boolean | undefined;
	/** Its once key as the node reads it. */
	readonly key: string;
	/** Identifies its message: one once key is for one message. */
	readonly message: string;
	readonly channel?: string;
}

/** What a request asks for. */
export interface Asked {
	/** The number of the execution that made it. */
	readonly execution: number;
	/** The item that it is for. */
	readonly item: number;
	readonly channel: string;
	/** Requests in one lane, to one recipient through one channel, are sent one after the other. */
	readonly lane: string;
	/** The same in every try. */
	readonly packageId: string;
}

const recipients = fc.constantFrom(...['r0', 'r1', 'r2', 'r3'].map((name) => `${name}@example.com`));
const channelId = '7d3f0d1e-5c57-4b6e-9a55-0c6a2f0e9b11';
const otherChannelIds = [
	'7d3f0d1e-5c57-4b6e-9a55-0c6a2f0e9b12',
	'7d3f0d1e-5c57-4b6e-9a55-0c6a2f0e9b13',
	'7d3f0d1e-5c57-4b6e-9a55-0c6a2f0e9b14',
];
/** The channels that messages are sent through, most of them through the first. */
export const channelIds = weighted([3, fc.constant(channelId)], [2, fc.constantFrom(...otherChannelIds)]);
/** All of them. */
export const allChannelIds = [channelId, ...otherChannelIds];

const missing = ['', null, undefined, {}];
const addresses = mostly(
	recipients,
	[...missing, 5, true, [], 'nobody', 'a b@example.com', 'x'.repeat(5000)],
	[['r0@example.com'], { email: 'r0@example.com' }, ' r0@example.com '],
);

const goodText = weighted(
	[8, fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 })],
	[1, fc.constantFrom('x'.repeat(2e5), '👩‍👩‍👧‍👦'.repeat(2000), '{{ 1 + 1 }}', '=1', ' \u202e')],
).filter((text) => text.trim() !== '');
const texts = mostly(
	goodText,
	['', null, undefined],
	[5, 0, false, {}, ['a'], { a: { b: 1 } }, ' ', 'half a character: \uD800'],
);

/** Once keys as items hold them: few enough that some items share one, and some that look alike. */
const goodKeys = weighted<unknown>(
	[8, fc.nat(39).map((number) => `k${String(number).padStart(2, '0')}`)],
	[
		2,
		fc.constantFrom<unknown>(
			...[' k00 ', 'K00', 5, '5', '__proto__', 'constructor', 'é', 'e\u0301', 'k'.repeat(500)],
		),
	],
);
const keys = mostly(goodKeys, ['', '  ', null, undefined, {}, { a: 1 }, 'undefined']);

/** The once key of an item; without the option, any value does. */
function keysOf(isKeyed: boolean): fc.Arbitrary<Drawn> {
	return isKeyed ? keys : keys.map(({ value }) => ({ value, isGood: true }));
}

/** Other fields of items. */
const more: fc.Arbitrary<Record<string, unknown>> = weighted(
	[8, fc.constant({})],
	[1, fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 })],
);

/** An item that holds nothing. */
export const emptyItem: FuzzItem = { json: {}, isSendable: false, key: '', message: '' };

/** One item. */
export function item(isKeyed: boolean): fc.Arbitrary<FuzzItem> {
	return fc
		.record({ to: addresses, text: texts, id: keysOf(isKeyed), channel: channelIds, more })
		.map(({ to, text, id, channel, more: rest }) => {
			const fields = { to: to.value, text: text.value, id: id.value, channel };
			const given = Object.entries(fields).filter(([, value]) => value !== undefined);
			return {
				json: { ...rest, ...Object.fromEntries(given) },
				isSendable: areGood(to, text, id),
				key: String(id.value).trim().normalize('NFC'),
				message: JSON.stringify([channel, to.value, text.value]),
				channel,
			};
		});
}

/**
 * The node's parameters, options aside.
 *
 * @param execution the number that its requests carry
 */
export function parametersOf(execution: number): INodeParameters {
	const correlationId = `=e${execution}i{{ $itemIndex }}`;
	return sendThrough('={{ $json.channel }}', { additionalFields: { correlationId } });
}

interface Sent {
	packageId?: string;
	correlationId?: string;
	channelId?: string;
	content?: { text?: string; to?: { email?: string } };
}

/** What a request asks for that conforms to the API description; undefined if it is not what the items say. */
export function readRequest(body: unknown, items: readonly FuzzItem[]): Asked | undefined {
	const { channelId: channel, content, correlationId, packageId = '' } = body as Sent;
	const [, execution, number] = /^e(\d+)i(\d+)$/.exec(String(correlationId)) ?? [];
	const index = Number(number);
	const { email = '' } = content?.to ?? {};
	// What the sandbox also refuses.
	const isFine = /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email) && (content?.text ?? '') !== '';
	if (!isFine || channel === undefined || channel !== items[index]?.channel) return undefined;
	return { execution: Number(execution), item: index, channel, lane: `${channel} ${email}`, packageId };
}

/** The usual answer. */
export function usualAnswer(body: unknown): IDataObject {
	const { packageId, content } = body as Sent;
	return { ...(body as IDataObject), content: { ...content, messageId: `m-${packageId}` } };
}
