import type { components } from '../../../api/schema.d.ts';
import type { JsonObject, MessageRecord, StoredChannel } from '../records/model.mts';
import { outboxEntryFor } from '../records/outbox.mts';
import { sameId, type Reach } from '../records/reach.mts';
import type { State } from '../records/state.mts';
import { channelStatus, channelTypeOf, holderStatus } from '../records/views.mts';
import { conflict, invalid, Problem } from '../requests/problem.mts';
import type { Handler } from './call.mts';

type MessagePackage = components['schemas']['MessagePackage'];
type Address = components['schemas']['Address'];

/** Send message. Two sends are two messages, whatever their packageId. */
export const send: Handler<'message.send'> = ({ state, reach, body, now, outboxDelayMs }) => {
	const content = body.content ?? {};
	const problems = problemsOf(body);
	if (body.channelId === undefined || problems.length > 0) throw invalid(...problems);
	const channel = reach.channel(body.channelId);
	checkContext(body, channel, reach);
	checkCanSend(state, channel);

	const sentAt = new Date(now).toISOString();
	const packageId = body.packageId ?? state.random.uuid();
	const messageId = content.messageId ?? `msg-${state.random.hex(20)}`;
	const message = state.addMessage({
		messageId,
		packageId,
		channelId: channel.channelId,
		accountId: channel.accountId,
		keyId: reach.key.id,
		correlationId: body.correlationId ?? null,
		type: content.type ?? null,
		text: content.text ?? null,
		recipient: lineOf(content.to ?? {}),
		sender: null,
		package: { ...body },
		sentAt,
		edits: [],
		deletedAt: null,
	});
	if (channelTypeOf(channel).hasOutbox) {
		const entry = outboxEntryFor(state, channel, {
			createdAt: sentAt,
			dueAt: now + outboxDelayMs,
			correlationId: message.correlationId,
			priority: content.priority ?? 0,
			payload: { ...content, messageId },
		});
		state.addOutboxEntry(entry);
	}
	const account = state.accountOf(channel);
	const organization = state.organizationOf(account);
	return {
		status: 200,
		body: {
			...body,
			packageId,
			channelId: channel.channelId,
			organizationID: organization.organizationId,
			organizationName: organization.name,
			accountId: account.accountId,
			accountName: account.name,
			content: { ...content, messageId, timestamp: content.timestamp ?? sentAt },
			timestamp: body.timestamp ?? sentAt,
		} satisfies { [Name in keyof MessagePackage]: MessagePackage[Name] | null },
	};
};

/** Edit message. */
export const edit: Handler<'message.edit'> = ({ state, reach, body, now }) => {
	const { channel, message, chatId } = find(state, reach, body);
	if (message.deletedAt !== null) throw unknownMessage(message.messageId, channel);
	if (body.newText === undefined || body.newText === '') throw invalid('newText: must not be empty');
	const at = new Date(now).toISOString();
	message.text = body.newText;
	message.edits.push({ at, chatId, text: body.newText, correlationId: body.correlationId ?? null });
	state.noteMessage(message);
	return {
		status: 200,
		body: { messageId: message.messageId, chatId, channelId: channel.channelId, editedAt: at },
	};
};

/** Delete message. Deleting a deleted message succeeds and changes nothing. */
export const remove: Handler<'message.delete'> = ({ state, reach, body, now }) => {
	const { message } = find(state, reach, body);
	if (message.deletedAt === null) {
		message.deletedAt = new Date(now).toISOString();
		state.noteMessage(message);
	}
	return { status: 200 };
};

function problemsOf(body: MessagePackage): string[] {
	const problems: string[] = [];
	if (body.channelId === undefined) problems.push('channelId: missing');
	if (body.content === undefined) return [...problems, 'content: missing'];
	const { to, type, text } = body.content;
	if (to === undefined) problems.push('content.to: missing');
	else if (to.type === 'EMAIL' && !isAddress(to.email))
		problems.push('content.to.email: must be an e-mail address');
	if (type === 'TEXT' && (text === undefined || text === ''))
		problems.push('content.text: must not be empty');
	return problems;
}

function isAddress(email: string | undefined): boolean {
	return email !== undefined && /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email);
}

/** The account and organization that a package names must be those of its channel. */
function checkContext(body: MessagePackage, channel: StoredChannel, reach: Reach): void {
	const problems: string[] = [];
	if (body.accountId !== undefined && !sameId(body.accountId, channel.accountId)) {
		problems.push('accountId: is not the account of the channel');
	}
	if (body.organizationID !== undefined && !sameId(body.organizationID, reach.organizationId)) {
		problems.push('organizationID: is not the organization of the channel');
	}
	if (problems.length > 0) throw invalid(...problems);
}

/** Messages need a status that allows sending for the organization, the account and the channel. */
function checkCanSend(state: State, channel: StoredChannel): void {
	const account = state.accountOf(channel);
	const organization = state.organizationOf(account);
	for (const [what, holder] of [
		['Organization', organization],
		['Account', account],
	] as const) {
		const status = holderStatus(holder.statusId);
		if (!status.canSendAndReceiveMessage) {
			throw conflict(`${what} "${holder.name}" is ${status.name.toLowerCase()} and can't send messages.`);
		}
	}
	const status = channelStatus(channel.statusId);
	if (!status.canSendAndReceiveMessage) {
		throw conflict(`Channel "${channel.name}" is ${status.name.toLowerCase()} and can't send messages.`);
	}
}

interface MessageReference {
	messageId?: string;
	chatId?: string;
	channelId?: string;
}

function find(
	state: State,
	reach: Reach,
	reference: MessageReference,
): { channel: StoredChannel; message: MessageRecord; chatId: string } {
	const { messageId = '', chatId = '', channelId } = reference;
	const problems: string[] = [];
	if (messageId === '') problems.push('messageId: must not be empty');
	if (chatId === '') problems.push('chatId: must not be empty');
	if (channelId === undefined) problems.push('channelId: missing');
	if (channelId === undefined || problems.length > 0) throw invalid(...problems);
	const channel = reach.channel(channelId);
	const message = state.message(channel.channelId, messageId);
	// What a customer wrote can't be changed.
	if (message === undefined || message.sender !== null) throw unknownMessage(messageId, channel);
	if (chatId !== message.recipient) throw invalid(`chatId: this message is in the chat ${message.recipient}`);
	return { channel, message, chatId };
}

function unknownMessage(messageId: string, channel: StoredChannel): Problem {
	return new Problem(404, `No message with id ${messageId} on channel "${channel.name}".`);
}

/** An address in one line: the e-mail address, or the first text of an address of another kind. */
export function lineOf(address: Address): string {
	if (address.email !== undefined) return address.email;
	const open: JsonObject = address;
	for (const [name, value] of Object.entries(open)) {
		if (name !== 'type' && name !== 'name' && (typeof value === 'string' || typeof value === 'number')) {
			return String(value);
		}
	}
	return address.name ?? '';
}
