import type { components } from '../../api/schema.d.ts';
import { lineOf } from './operations/message.mts';
import { conflict, invalid } from './problem.mts';
import { channelStatus, channelTypeOf } from './records/catalog.mts';
import type { JsonObject, StoredChannel } from './records/model.mts';
import { outboxEntryFor } from './records/outbox.mts';
import type { Sandbox } from './sandbox.mts';
import type { IncomingMessage } from './types.mts';

/** What became of a message that a customer wrote. */
export interface Received {
	packageId: string;
	messageId: string;
	/** The entry that delivers it; null if the channel has no feedback channel with an outbox. */
	outboxEntryId: string | null;
}

/** A customer writes to a channel. Its feedback channel, if that is an HTTP channel, delivers the message package. */
export function receive(
	{ state, outboxDelayMs }: Sandbox,
	channel: StoredChannel,
	incoming: IncomingMessage,
): Received {
	if (typeof incoming.from !== 'string' && typeof incoming.from?.type !== 'string') {
		throw invalid('from: must be an address, or text');
	}
	if (!channel.isConnected || !channelStatus(channel.statusId).canReceiveInboundMessages) {
		throw conflict(`Channel "${channel.name}" can't receive messages: connect it, or pick another one.`);
	}
	const { channelId, from, packageId = state.random.uuid(), echoMessage = false, ...more } = incoming;
	const { correlationId, messageId = `in-${state.random.hex(20)}`, type = 'TEXT', ...content } = more;
	const account = state.accountOf(channel);
	const { accountId, name: accountName, organizationId: organizationID } = account;
	const { name: organizationName } = state.organizationOf(account);
	const sender = typeof from === 'string' ? addressFrom(from) : from;
	const now = Date.now();
	const timestamp = new Date(now).toISOString();
	const flags = { isFromMe: false, isGroupMessage: false };
	const message: JsonObject = {
		...{ packageId, ...(correlationId !== undefined && { correlationId }), channelId },
		...{ organizationID, organizationName, accountId, accountName, echoMessage, timestamp },
		content: { type, ...flags, ...content, messageId, from: sender, timestamp },
	};
	const known = { correlationId: correlationId ?? null };
	state.addMessage({
		...{ messageId, packageId, channelId, accountId, keyId: null, ...known, type, text: content.text },
		...{ recipient: '', sender: lineOf(sender), package: message, sentAt: timestamp },
	});
	const feedback = state.channels.get(channel.feedbackChannelId ?? '');
	if (feedback === undefined || !channelTypeOf(feedback).hasOutbox) {
		return { packageId, messageId, outboxEntryId: null };
	}
	const seed = { createdAt: timestamp, dueAt: now + outboxDelayMs, ...known, payload: message };
	const { httpSenderOutboxEntryId } = state.addOutboxEntry(outboxEntryFor(state, feedback, seed));
	return { packageId, messageId, outboxEntryId: httpSenderOutboxEntryId };
}

/** An address as a form takes it, in one line. */
function addressFrom(line: string): components['schemas']['Address'] {
	return line.includes('@') ? { type: 'EMAIL', email: line } : { type: 'PHONE', phone: line };
}
