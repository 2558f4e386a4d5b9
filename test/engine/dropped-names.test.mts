/** What n8n drops before a node sees it: guesses of names and forms end as they are meant, or are refused by name. */
import { createRequire } from 'node:module';

import type { INode, INodeParameters, NodeHelpers } from 'n8n-workflow';

import { Messaging } from '../../nodes/Messaging/Messaging.node.ts';
import { operations } from '../../nodes/Messaging/operations/index.ts';

import { enough, guessedForms, guessedNames, type GuessedPlace, unseenAtTop } from '../cases/guesses.mts';
import type { OperationId } from '../cases/index.mts';
import { errorOf, useLab } from './lab.mts';

const { getNodeParameters } = createRequire(__filename)(
	'n8n-workflow/dist/cjs/node-helpers.js',
) as typeof NodeHelpers;

const lab = useLab();

/** Runs an operation with these parameters: the refused field, what n8n says itself, or the requests that left. */
async function endingOf(id: OperationId, change: object) {
	const [resource, operation] = id.split('.');
	const parameters = { resource, operation, ...enough[id], ...change } as INodeParameters;
	const node = { parameters, onError: 'continueRegularOutput' as const };
	const items = [{ json: { id: 'k1' } }];
	try {
		const run = await lab.engine.start({ credential: lab.credential, items, node }).finished;
		const requests = (await lab.calls()).filter(({ path }) => !path.endsWith('/Admin/Channel'));
		if (run.error !== undefined) return { byN8n: run.error.message, requests };
		const [item] = run.main[0];
		if (item?.json['error'] === undefined || errorOf(item).outcome !== 'unsent') return { requests, run };
		const [, field] = /^The field "(.+)" /.exec(errorOf(item).message) ?? [];
		return { refused: field, description: errorOf(item).description, requests };
	} catch (error) {
		return { byN8n: (error as Error).message, requests: await lab.calls() };
	}
}

const labels = {
	options: 'Options',
	additionalFields: 'Additional Fields',
	rareFields: 'Rarely Used Fields',
};
const places = ['top', 'options', 'additionalFields', 'rareFields'] as const;
const cases = guessedNames.flatMap(([id, names]) =>
	Object.entries(names).flatMap(([name, [value, right]]) =>
		places.map((place) => ({ id, name, value, place, isRight: place === right })),
	),
);

describe.each(places)('written at: %s', (place) => {
	const here = cases.filter((each) => each.place === place);
	const isUnseen = (name: string): boolean => place === 'top' && unseenAtTop.includes(name);

	test.each(here.filter(({ isRight, name }) => !isRight && !isUnseen(name)))(
		'$id: $name is refused by name, and nothing leaves',
		async ({ id, name, value }) => {
			const { refused, requests } = await endingOf(id, placed(place, name, value));
			// An operation without such a collection refuses all of it.
			expect([labelled(place, name), name, place]).toContain(refused);
			expect(requests).toEqual([]);
		},
	);

	test.each(here.filter(({ isRight, name }) => isRight || isUnseen(name)))(
		'$id: $name is right, or can not be seen',
		async ({ id, name, value }) => {
			const { byN8n, refused } = await endingOf(id, placed(place, name, value));
			expect({ byN8n, refused }).toEqual({});
		},
	);
});

function placed(place: GuessedPlace, name: string, value: unknown): object {
	return place === 'top' ? { [name]: value } : { [place]: { [name]: value } };
}

function labelled(place: GuessedPlace, name: string): string {
	return place === 'top' ? name : `${labels[place]} > ${name}`;
}

/** Each collection of each operation, also of those to come. */
const collections = operations.flatMap(({ resource, name, fields }) =>
	fields
		.filter(({ type }) => ['collection', 'fixedCollection'].includes(type))
		.map((field) => ({ resource, operation: name, collection: field.name })),
);

test.each(collections)(
	'n8n hands $collection of $resource $operation over as it is saved',
	({ resource, operation, collection }) => {
		const strange = { nobodyHasThis: 1 };
		const saved = { resource, operation, [collection]: strange };
		const { description } = new Messaging();
		const node = { typeVersion: 1, type: 'messaging' } as INode;
		const read = getNodeParameters(description.properties, saved, true, false, node, description);
		expect(read?.[collection]).toEqual(strange);
	},
);

/** With as many items as a parameter named "limit", n8n's editor says that more may be missing. */
test('a list has its limit, and nothing else has one', () => {
	const limits = operations.map(({ resource, name }) => {
		const { description } = new Messaging();
		const node = { typeVersion: 1, type: 'messaging' } as INode;
		const saved = { resource, operation: name, returnAll: false };
		const all = getNodeParameters(description.properties, saved, true, false, node, description);
		return [name, all?.['limit'] || 0];
	});
	expect(limits).toEqual(operations.map(({ name }) => [name, name === 'getAll' ? 50 : 0]));
});

test.each(guessedForms)('%s with %j', async (id, change, ending) => {
	const { byN8n, refused, requests } = await endingOf(id, change);
	if (typeof ending === 'string') {
		// n8n 1 itself refuses rows in an unknown group.
		expect(refused ?? byN8n).toMatch(byN8n === undefined ? ending : /property option/);
		expect(requests).toEqual([]);
	} else if ('byN8n' in ending) {
		// n8n 1 does not name the field.
		const { byN8n: words } = ending;
		expect(byN8n).toMatch(typeof words === 'string' ? new RegExp(`${words}|has issues`) : words);
		expect(requests).toEqual([]);
	} else {
		expect({ byN8n, refused }).toEqual({});
		expect(requests).toMatchObject([ending.sent]);
	}
});

test.each<[OperationId, object, RegExp]>([
	[
		'message.send',
		{ options: { sendOnlyOncePer: 'k' } },
		/Send Only Once Per is "options": \{ "onceKey": \.\.\. \}/,
	],
	['account.create', { idempotencyKey: 'k' }, /Create Only Once Per is "options": \{ "onceKey": /],
	['message.send', { deliveryDeadline: '2040-01-01' }, /is "additionalFields": \{ "deliveryDeadline": /],
	['message.send', { additionalFields: { isFromMe: true } }, /is "rareFields": \{ "isFromMe": /],
	['message.reply', { rareFields: { priority: 1 } }, /is "additionalFields": \{ "priority": /],
	['channel.getAll', { options: { limit: 1 } }, /Limit is "limit": /],
	// Both are named where a name may mean two.
	['channel.getAll', { filter: 'a' }, /"nameContains".*"queryParameters"/],
	['message.reply', { replyToMessageId: 'm' }, /Quote is "quote": /],
	// What can't be had is said, with the way that works.
	['message.send', { options: { ccEmail: 'a@example.com' } }, /one recipient.*Split Out/],
	['message.sendAndWait', { subject: 'Hi' }, /documentation of your service.*"otherContent"/],
	['message.send', { attachmentsUi: 'a' }, /link/],
	['message.reply', { sendAfter: '2040-01-01' }, /Wait node/],
	['message.send', { templateId: '1' }, /"text"/],
	['message.send', { dryRun: true }, /"preview"/],
	['service.request', { sendHeaders: true }, /credential/],
	// What means nothing here is guessed to be nothing: all names are told.
	[
		'message.send',
		{ chatId: '1' },
		/Remove it\. There are: channelId, .*additionalFields, options, rareFields\./,
	],
	[
		'message.send',
		{ additionalFields: { nothingLikeIt: 1 } },
		/Remove it.*these names: contentType, correlationId/,
	],
	[
		'message.sendAndWait',
		{ approvalOptions: { values: { declineLabel: 'No' } } },
		/form is "approvalOptions": \{ "values": \{ \.\.\. \} \}.*disapproveLabel/,
	],
	[
		'service.request',
		{ queryParameters: [{ name: 'id', value: '1' }] },
		/"queryParameters": \{ "parameters": \[\{ \.\.\. \}\] \}/,
	],
	['service.request', { body: '{"z": 1}' }, /Set "sendBody": true/],
	[
		'message.sendAndWait',
		{ responseType: 'customForm', formFields: { values: [{ fieldLabel: 'Reason', type: 'text' }] } },
		/"formFields": \{ "values": \[\{ \.\.\. \}\] \}.*fieldType/,
	],
])('the error of %s with %j says what to do instead', async (id, change, advice) => {
	expect((await endingOf(id, change)).description).toMatch(advice);
});

test('a collection that an expression gives is checked for each item', async () => {
	const options = '={{ $json.id === "k2" ? { sendOnlyOncePer: "k" } : {} }}';
	const parameters = { resource: 'message', operation: 'send', ...enough['message.send'], options };
	await lab.engine.start({
		credential: lab.credential,
		items: ['k1', 'k2', 'k3'].map((id) => ({ json: { id } })),
		node: { parameters: parameters as INodeParameters, onError: 'continueRegularOutput' },
	}).finished;
	// Only the second one is refused.
	expect(await lab.calls()).toHaveLength(2);
});
