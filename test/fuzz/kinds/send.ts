import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { areGood, mostly } from '../draw.ts';
import { byId, itsThing, labelOf, readLabel, type Kind } from './kind.ts';
import { channelId, fields, keysOf, more, readKey, recipients, texts } from './values.ts';

const badTo = fc.constantFrom<unknown>(
	'',
	null,
	undefined,
	5,
	true,
	{},
	[],
	'nobody',
	'a b@example.com',
	'x'.repeat(5000),
);
const oddTo = fc.constantFrom<unknown>(['r0@example.com'], { email: 'r0@example.com' }, ' r0@example.com ');
const addresses = mostly(fc.constantFrom(...recipients), badTo, oddTo);

interface Body {
	packageId?: string;
	correlationId?: string;
	channelId?: string;
	content?: { text?: string; to?: { email?: string } };
}

/** What the sandbox also refuses. */
function problemsOf({ channelId: channel, content }: Body): string[] {
	const { email = '' } = content?.to ?? {};
	return [
		...(channel === undefined ? ['channelId: missing'] : []),
		...(/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email) ? [] : ['content.to.email: must be an e-mail address']),
		...((content?.text ?? '') === '' ? ['content.text: must not be empty'] : []),
	];
}

/** Message: Send. */
export const send: Kind = {
	id: 'message.send',
	isOnceOnly: true,
	sharesCalls: false,
	offers: { onceKey: true, ordering: true, whenUnknown: true },
	status: 200,
	item: (isKeyed) =>
		fc
			.record({ to: addresses, text: texts, id: keysOf(isKeyed), more })
			.map(({ to, text, id, more: rest }) => (index) => ({
				json: { ...rest, ...fields({ to: to.value, text: text.value, id: id.value }) },
				isSendable: areGood(to, text, id),
				key: readKey(id.value),
				message: JSON.stringify([to.value, text.value]),
				things: [itsThing(index)],
			})),
	parameters: (execution) => ({
		resource: 'message',
		operation: 'send',
		channelId: byId(channelId),
		toEmail: '={{ $json.to }}',
		text: '={{ $json.text }}',
		additionalFields: { correlationId: labelOf(execution) },
	}),
	read({ body }) {
		const message = body as Body;
		const label = readLabel(message.correlationId);
		const problems = problemsOf(message);
		if (label === undefined) return ['correlationId: not as given', ...problems];
		if (problems.length > 0) return problems;
		const { packageId = '', content } = message;
		return {
			execution: label.execution,
			items: [label.item],
			things: [itsThing(label.item)],
			lane: content?.to?.email ?? '',
			packageId,
			shows: { packageId, messageId: `m-${packageId}`, 'content.text': content?.text },
		};
	},
	reply({ body }) {
		const { packageId, content } = body as Body;
		return { ...(body as IDataObject), content: { ...content, messageId: `m-${packageId}` } };
	},
};
