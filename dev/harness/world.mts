import { randomUUID } from 'node:crypto';

import { request } from 'undici';

import type { SandboxClient } from '../sandbox/client.mts';
import type { LoggedRequest, SandboxAddress, SandboxState } from '../sandbox/types.mts';

type Account = SandboxState['accounts'][number];
type Channel = SandboxState['channels'][number];
type OutboxEntry = SandboxState['outbox'][number];
type Key = SandboxState['apiKeys'][number];

/** The sandbox's records at the start of a test, found by name. */
export interface World {
	account(name: string): Account;
	channel(name: string): Channel;
	/** All channels, in the order of the service's list. */
	readonly channels: readonly Channel[];
	key(name: string): Key;
	/** The outbox entries of a channel that have a status, such as "Failed". */
	entries(channel: string, status: string): OutboxEntry[];
	/** An existing message, not sent through n8n. */
	sentMessage(channel: string, email: string, text: string): Promise<{ messageId: string }>;
}

/** Reads the sandbox's state. */
export async function readWorld(
	sandbox: SandboxClient,
	stage: { readonly sandbox: Pick<SandboxAddress, 'url' | 'tokens'> },
): Promise<World> {
	const state = await sandbox.state();
	return {
		account: (name) => named(state.accounts, name),
		channel: (name) => named(state.channels, name),
		channels: state.channels,
		key: (name) => named(state.apiKeys, name),
		entries: (name, status) => {
			const { channelId } = named(state.channels, name);
			return state.outbox.filter((entry) => entry.channelId === channelId && entry.statusName === status);
		},
		sentMessage: async (name, email, text) => {
			const { channelId } = named(state.channels, name);
			const to = { type: 'EMAIL', email };
			const answer = await request(`${stage.sandbox.url}/api/v1/message/SendMessage`, {
				method: 'POST',
				headers: {
					'x-api-key': stage.sandbox.tokens.org,
					'content-type': 'application/json; v=1.0',
					accept: 'application/json; v=1.0',
				},
				body: JSON.stringify({ packageId: randomUUID(), channelId, content: { type: 'TEXT', text, to } }),
			});
			const { content } = (await answer.body.json()) as { content: { messageId: string } };
			await sandbox.clearRequests();
			return { messageId: content.messageId };
		},
	};
}

/**
 * What the sandbox received, apart from GET /Me: the node may ask for the key's plan whenever it makes more than one
 * call.
 */
export async function receivedCalls(sandbox: SandboxClient): Promise<LoggedRequest[]> {
	return (await sandbox.requests()).filter(({ operationId }) => operationId !== 'apiKey.getCurrent');
}

/** How often each text was accepted: more than once is a duplicate. */
export async function acceptedTexts(sandbox: SandboxClient): Promise<Record<string, number>> {
	const counts: Record<string, number> = {};
	for (const { text } of (await sandbox.state()).messages) {
		counts[text ?? ''] = (counts[text ?? ''] ?? 0) + 1;
	}
	return counts;
}

/** The record of the sandbox with a name. */
export function named<Item extends { name: string | null }>(items: Item[], name: string): Item {
	const item = items.find((candidate) => candidate.name === name);
	if (item === undefined) throw new Error(`The sandbox has no "${name}"`);
	return item;
}
