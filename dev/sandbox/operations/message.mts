import type { components } from '../../../api/schema.d.ts';
import type { JsonObject, MessageRecord, StoredChannel } from '../records/model.mts';
import { channelStatus, channelTypeOf } from '../records/catalog.mts';
import { outboxEntryFor } from '../records/outbox.mts';
import type { State } from '../records/state.mts';
import { conflict, invalid, Problem, refuse } from '../problem.mts';
import { type Context, differing, type Handler } from './call.mts';

type MessagePackage = components['schemas']['MessagePackage'];

/** Send message. Two sends are two messages, whatever their packageId. */
export const send: Handler<'message.send'> = ({ state, reach, body, now, outboxDelayMs }) => {
	const { content = {} } = body;
	refuse(problemsOf(body));
	const channel = reach.channel(body.channelId ?? '');
	const { channelId, accountId } = channel;
	const account = state.accountOf(channel);
	const { organizationId, name: organizationName } = state.organizationOf(account);
	refuse(
		differing(
			[body.accountId, accountId, 'accountId: is not the account of the channel'],
			[body.organizationID, organizationId, 'organizationID: is not the organization of the channel'],
		),
	);
	const status = channelStatus(channel.statusId);
	if (!status.canSendAndReceiveMessage) {
		throw conflict(`Channel "${channel.name}" is ${status.name.toLowerCase()} and can't send messages.`);
	}

	const sentAt = new Date(now).toISOString();
	const packageId = body.packageId ?? state.random.uuid();
	const messageId = content.messageId ?? `msg-${state.random.hex(20)}`;
	const correlationId = body.correlationId ?? null;
	state.addMessage({
		...{ messageId, packageId, channelId, accountId, keyId: reach.key.id, correlationId },
		...{ type: content.type ?? null, text: content.text ?? null },
		...{ recipient: lineOf(content.to ?? {}), sender: null, package: { ...body }, sentAt },
	});
	if (channelTypeOf(channel).hasOutbox) {
		const { priority = 0 } = content;
		const payload = { ...content, messageId };
		const seed = { createdAt: sentAt, dueAt: now + outboxDelayMs, correlationId, priority, payload };
		state.addOutboxEntry(outboxEntryFor(state, channel, seed));
	}
	return {
		status: 200,
		body: {
			...body,
			...{ packageId, channelId, organizationID: organizationId, organizationName },
			...{ accountId, accountName: account.name },
			content: { ...content, messageId, timestamp: content.timestamp ?? sentAt },
			timestamp: body.timestamp ?? sentAt,
		} satisfies { [Name in keyof MessagePackage]: MessagePackage[Name] | null },
	};
};

/** Edit message. */
export const edit: Handler<'message.edit'> = (call) => {
	const { body, now } = call;
	const { channel, message, chatId } = find(call, body);
	const { messageId } = message;
	if (message.deletedAt !== null) throw unknownMessage(messageId, channel);
	if (body.newText === undefined || body.newText === '') throw invalid('newText: must not be empty');
	const at = new Date(now).toISOString();
	message.text = body.newText;
	message.edits.push({ at, chatId, text: body.newText, correlationId: body.correlationId ?? null });
	return { status: 200, body: { messageId, chatId, channelId: channel.channelId, editedAt: at } };
};

/** Delete message. Deleting a deleted message succeeds and changes nothing. */
export const remove: Handler<'message.delete'> = (call) => {
	const { message } = find(call, call.body);
	message.deletedAt ??= new Date(call.now).toISOString();
	return { status: 200 };
};

function problemsOf({ channelId, content }: MessagePackage): string[] {
	const missing = channelId === undefined ? ['channelId: missing'] : [];
	if (content === undefined) return [...missing, 'content: missing'];
	const { to, type, text = '' } = content;
	const isMail = to?.type === 'EMAIL';
	const isNoAddress = isMail && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(to.email ?? '');
	return [
		...missing,
		...(to === undefined ? ['content.to: missing'] : []),
		...(isNoAddress ? ['content.to.email: must be an e-mail address'] : []),
		...(type === 'TEXT' && text === '' ? ['content.text: must not be empty'] : []),
	];
}

function find(
	{ state, reach }: Context,
	reference: { messageId?: string; chatId?: string; channelId?: string },
): { channel: StoredChannel; message: MessageRecord; chatId: string } {
	const { messageId = '', chatId = '', channelId } = reference;
	refuse([
		...(messageId === '' ? ['messageId: must not be empty'] : []),
		...(chatId === '' ? ['chatId: must not be empty'] : []),
		...(channelId === undefined ? ['channelId: missing'] : []),
	]);
	const channel = reach.channel(channelId ?? '');
	const message = stateMessage(state, channel, messageId);
	if (chatId !== message.recipient) throw invalid(`chatId: this message is in the chat ${message.recipient}`);
	return { channel, message, chatId };
}

/** A message that was sent: what a customer wrote can't be changed. */
function stateMessage(state: State, channel: StoredChannel, messageId: string): MessageRecord {
	const message = state.message(channel.channelId, messageId);
	if (message === undefined || message.sender !== null) throw unknownMessage(messageId, channel);
	return message;
}

function unknownMessage(messageId: string, channel: StoredChannel): Problem {
	return new Problem(404, `No message with id ${messageId} on channel "${channel.name}".`);
}

/** An address in one line: the e-mail address, or the first text of an address of another kind. */
export function lineOf(address: components['schemas']['Address']): string {
	if (address.email !== undefined) return address.email;
	const { type: _, name = '', ...open }: JsonObject = address;
	const found = Object.values(open).find((value) => typeof value === 'string' || typeof value === 'number');
	return String(found ?? name);
}
