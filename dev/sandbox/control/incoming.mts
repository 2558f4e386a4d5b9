import type { components } from '../../../api/schema.d.ts';
import type { JsonObject } from '../records/model.mts';
import { outboxEntryFor } from '../records/outbox.mts';
import { channelStatus, channelTypeOf } from '../records/views.mts';
import { conflict, notFound } from '../requests/problem.mts';
import { lineOf } from '../routes/message.mts';
import type { Sandbox } from '../sandbox.mts';
import type { IncomingMessage } from './schemas.mts';

/** What became of a message that a customer wrote. */
export interface Received {
	packageId: string;
	messageId: string;
	/** The entry that delivers it; null if the channel has no feedback channel with an outbox. */
	outboxEntryId: string | null;
}

/** A customer writes to a channel. Its feedback channel, if that is an HTTP channel, delivers the message package. */
export function receive(sandbox: Sandbox, incoming: IncomingMessage): Received {
	const { state } = sandbox;
	const { channelId, from, packageId = state.random.uuid(), echoMessage = false, ...more } = incoming;
	const { correlationId, ...content } = more;
	const channel = state.channels.get(channelId);
	if (channel === undefined) throw notFound('channel', channelId);
	if (!channel.isConnected || !channelStatus(channel.statusId).canReceiveInboundMessages) {
		throw conflict(`Channel "${channel.name}" can't receive messages: connect it, or pick another one.`);
	}
	const account = state.accountOf(channel);
	const organization = state.organizationOf(account);
	const now = new Date();
	const messageId = content.messageId ?? `in-${state.random.hex(20)}`;
	const sender = typeof from === 'string' ? addressFrom(from) : from;
	const message: JsonObject = {
		packageId,
		...(correlationId === undefined ? {} : { correlationId }),
		channelId,
		organizationID: organization.organizationId,
		organizationName: organization.name,
		accountId: account.accountId,
		accountName: account.name,
		echoMessage,
		timestamp: now.toISOString(),
		content: {
			type: 'TEXT',
			isFromMe: false,
			isGroupMessage: false,
			...content,
			messageId,
			from: sender,
			timestamp: now.toISOString(),
		},
	};
	state.addMessage({
		messageId,
		packageId,
		channelId,
		accountId: channel.accountId,
		keyId: null,
		correlationId: correlationId ?? null,
		type: content.type ?? 'TEXT',
		text: content.text,
		recipient: '',
		sender: lineOf(sender),
		package: message,
		sentAt: now.toISOString(),
		edits: [],
		deletedAt: null,
	});
	const feedback = state.channels.get(channel.feedbackChannelId ?? '');
	if (feedback === undefined || !channelTypeOf(feedback).hasOutbox) {
		return { packageId, messageId, outboxEntryId: null };
	}
	const entry = outboxEntryFor(state, feedback, {
		createdAt: now.toISOString(),
		dueAt: now.getTime() + sandbox.outboxDelayMs,
		correlationId: correlationId ?? null,
		priority: 0,
		payload: message,
	});
	return { packageId, messageId, outboxEntryId: state.addOutboxEntry(entry).httpSenderOutboxEntryId };
}

/** An address as a form takes it, in one line. */
function addressFrom(line: string): components['schemas']['Address'] {
	return line.includes('@') ? { type: 'EMAIL', email: line } : { type: 'PHONE', phone: line };
}
