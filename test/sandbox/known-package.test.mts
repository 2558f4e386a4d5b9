import { execute } from '../../nodes/Messaging/execute.ts';
import { findOperation } from '../../nodes/Messaging/operations/index.ts';
import type { CompiledCall, Operation } from '../../nodes/Messaging/operations/operation.ts';
import { errorOf } from '../engine/lab.mts';
import { fakeN8n, type FakeRequest } from '../unit/support/fake-n8n.mts';
import { useWorld } from './world.mts';

/** The recipe "Changing what an answer means" in CONTRIBUTING.md, with the sandbox's answers. */

const PACKAGE_KNOWN = 'https://messaging.example/problems/package-known';
const packageId = '6d3e1c2a-0f4b-4c58-9a77-2b1f0c9d8e71';

const means: CompiledCall['means'] = ({ statusCode, problem }) =>
	statusCode === 409 && problem?.['type'] === PACKAGE_KNOWN ? 'sentBefore' : undefined;

const send = findOperation('message', 'send') as Operation;
const sendOfTheRecipe: Operation = { ...send, compile: (source) => ({ ...send.compile(source), means }) };

const world = useWorld();
beforeEach(async () => {
	const body = { type: PACKAGE_KNOWN, title: 'Conflict', status: 409, detail: 'This package is known.' };
	await world.client.setFaults([{ kind: 'knownPackage', status: 409, body }]);
});

/** Sends a message with the packageId above. */
async function sendThrough(channel: string) {
	const { url, tokens } = world.sandbox;
	const parameters = {
		channelId: world.channelId(channel),
		toEmail: 'ada@example.com',
		text: 'Hello',
		additionalFields: { packageId },
		options: { keepToPlan: false },
	};
	const answer = async ({ method, url: address, headers, body }: FakeRequest) => {
		const given = await fetch(address, { method, headers: { ...headers, 'X-API-KEY': tokens.org }, body });
		return {
			statusCode: given.status,
			headers: Object.fromEntries(given.headers),
			body: await given.text(),
		};
	};
	const { context } = fakeN8n(answer, { parameters, apiKey: tokens.org, baseUrl: url });
	const [[item] = []] = await execute(context, sendOfTheRecipe);
	return item;
}

test('a package that the service has already was sent before', async () => {
	expect((await sendThrough('Support E-mail'))?.json).not.toHaveProperty('alreadySent');
	expect((await sendThrough('Support E-mail'))?.json).toEqual({
		alreadySent: true,
		packageId,
		channelId: world.channelId('Support E-mail'),
	});
	expect((await world.client.state()).messages).toHaveLength(1);
});

test('a channel that cannot send gives a 409 too, and the message was not sent', async () => {
	await world.client.changeChannel(world.channelId('Support E-mail'), { channelStatusId: 3 });
	const item = await sendThrough('Support E-mail');
	expect(errorOf(item)).toMatchObject({ statusCode: 409, outcome: 'rejected' });
	expect((await world.client.state()).messages).toEqual([]);
});
