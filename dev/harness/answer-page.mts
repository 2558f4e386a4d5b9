import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { FormData, request } from 'undici';

import type { SandboxClient } from '../sandbox/client.mts';
import type { N8nClient, StoredCredential } from './n8n/api.mts';
import { byId, messagingWorkflow, names } from './workflows.mts';

/** A page as a browser gets it. */
export interface ServedPage {
	readonly status: number;
	readonly html: string;
	readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** The link in a question's message; throws if there is none. */
export function linkIn(text: string | null | undefined): string {
	const [link] = /https?:\/\/\S+$/.exec(text ?? '') ?? [];
	if (link === undefined) throw new Error(`There is no link at the end of ${JSON.stringify(text)}`);
	return link;
}

/**
 * Has n8n ask a question through the channel "Support E-mail".
 *
 * @returns the ID of the execution that waits, and the links that were sent, in the order of the items
 */
export async function askQuestion(
	n8n: N8nClient,
	sandbox: SandboxClient,
	credential: StoredCredential,
	parameters: INodeParameters,
	items?: IDataObject[],
): Promise<{ id: string; links: string[] }> {
	const { channels, messages: before } = await sandbox.state();
	const channelId = byId(channels.find(({ name }) => name === 'Support E-mail')?.channelId ?? '');
	const asked = { resource: 'message', operation: 'sendAndWait', channelId, toEmail: 'ada@example.com' };
	const more = items === undefined ? {} : { items };
	const workflow = await n8n.createWorkflow(
		messagingWorkflow({ name: 'Question', credential, parameters: { ...asked, ...parameters }, ...more }),
	);
	const { id, status } = await n8n.runUntilWaiting(workflow.id, names.start);
	if (status !== 'waiting') throw new Error(`The execution does not wait, but is "${status}"`);
	const { messages } = await sandbox.state();
	return { id, links: messages.slice(before.length).map(({ text }) => linkIn(text)) };
}

/** Opens a link, as a browser or a link preview does. */
export async function openLink(
	link: string,
	method: 'GET' | 'HEAD' = 'GET',
	headers: Readonly<Record<string, string>> = {},
): Promise<ServedPage> {
	return await served(request(link, { method, headers }));
}

/** Sends the form of a page, as its button does. */
export async function sendAnswer(
	link: string,
	fields: Readonly<Record<string, string | readonly string[]>>,
): Promise<ServedPage> {
	const form = new FormData();
	for (const [name, values] of Object.entries(fields)) {
		for (const value of [values].flat()) form.append(name, value);
	}
	return await served(request(link, { method: 'POST', body: form, headers: { origin: 'null' } }));
}

async function served(asked: ReturnType<typeof request>): Promise<ServedPage> {
	const { statusCode, headers, body } = await asked;
	return { status: statusCode, html: await body.text(), headers };
}
