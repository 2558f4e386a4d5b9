import type { IDataObject, INodeExecutionData, IPollFunctions, WorkflowActivateMode } from 'n8n-workflow';

import { onPoll } from '../../../nodes/Messaging/trigger/poll.ts';
import { triggerFields } from '../../../nodes/Messaging/trigger/watch.ts';
import { allEvents, idOf, record, records } from './watching.mts';

/** The service's answer: a body, a status, or what the test decides at the time of the request. */
type Answer = unknown[] | null | number | (() => Promise<unknown>);

const defaults = Object.fromEntries(triggerFields.map((field) => [field.name, field.default]));

let keys = 0;

/** A workflow with the trigger in an n8n of its own; its static data survives activations. */
class Workflow {
	/** By place: `global`, and one for each name of a node. */
	staticData: Record<string, IDataObject> = {};
	/** The trigger. */
	node = { id: 'e0e0', name: 'Trigger', type: 'messagingTrigger', typeVersion: 1 };
	/** All nodes of the workflow, as far as n8n shows them. */
	nodes: Record<string, object> | undefined;
	requests = 0;
	lastUrl = '';
	answer: Answer = records(5);
	headers: Record<string, string> = {};
	parameters: IDataObject = {};
	/** Parameters as saved, where an expression gives something else. */
	entered: IDataObject = {};

	apiKey = `acc_key-of-this-workflow-${keys++}`;

	/** n8n makes one context for each activation. */
	activate(mode: WorkflowActivateMode, executionMode = 'trigger') {
		const context = {
			workflow: { nodes: this.nodes },
			getMode: () => executionMode,
			getActivationMode: () => mode,
			getTimezone: () => 'UTC',
			getNode: () => ({ ...this.node, parameters: { ...defaults, ...this.parameters, ...this.entered } }),
			getNodeParameter: (name: string) => this.parameters[name] ?? defaults[name],
			getWorkflowStaticData: (type: string) =>
				(this.staticData[type === 'node' ? `node:${this.node.name}` : type] ??= {}),
			getCredentials: async () => ({ apiKey: this.apiKey, baseUrl: 'https://messaging.example.com' }),
			helpers: {
				httpRequestWithAuthentication: async (_: string, { url }: { url: string }) => {
					this.lastUrl = url;
					return await this.respond();
				},
			},
		} as unknown as IPollFunctions;
		return async (): Promise<INodeExecutionData[][] | null> => await onPoll(context);
	}

	private async respond() {
		this.requests += 1;
		const found = typeof this.answer === 'function' ? await this.answer() : this.answer;
		const failed = typeof found === 'number';
		return {
			statusCode: failed ? found : 200,
			headers: { 'content-type': 'application/json', ...this.headers },
			body: JSON.stringify(failed ? { title: 'The key is unknown', status: found } : found),
		};
	}
}

/** An active workflow with these parameters whose trigger has polled once. */
async function active(parameters: IDataObject = {}) {
	const workflow = new Workflow();
	workflow.parameters = parameters;
	const poll = workflow.activate('activate');
	await poll();
	return { workflow, poll };
}

const dropped = [record(0, { isConnected: false }), ...records(5).slice(1)];
const reported = (output: INodeExecutionData[][] | null) => output?.[0]?.map(({ json }) => json.event);
const locator = (value: string) => ({ __rl: true, mode: 'id', value });

describe('in an active workflow', () => {
	it('saves what it reports nothing about with an output without items, unless n8n saves by itself', async () => {
		const { workflow, poll } = await active();
		workflow.answer = records(6);
		expect(await poll()).toEqual([[]]);
		workflow.answer = records(6).reverse();
		expect(await poll()).toBeNull();
		workflow.answer = records(7);
		expect(await workflow.activate('update')()).toBeNull();
	});

	it('saves also that the key has changed: else a restart would make a channel that is created then an old one', async () => {
		const { workflow, poll } = await active({ events: ['channelCreated'] });
		workflow.apiKey += '-changed';
		expect(await poll()).toEqual([[]]);
		expect(await poll()).toBeNull();
		workflow.staticData = structuredClone(workflow.staticData);
		workflow.answer = records(6);
		expect(reported(await workflow.activate('init')())).toEqual(['channelCreated']);
	});

	it('loses nothing when n8n restarts', async () => {
		const { workflow } = await active();
		workflow.answer = dropped;
		expect(reported(await workflow.activate('init')())).toEqual(['channelDisconnected']);
	});

	it('remembers under any name', async () => {
		const { workflow } = await active();
		workflow.node = { ...workflow.node, name: 'Channel Alarm' };
		workflow.answer = dropped;
		expect(reported(await workflow.activate('update')())).toEqual(['channelDisconnected']);
	});

	it('takes out what triggers remember that the workflow no longer has, and nothing else', async () => {
		const { workflow } = await active();
		const data = workflow.staticData['global']!;
		const [own] = Object.keys(data);
		const deleted = String(own).replace('e0e0', 'f0f0');
		Object.assign(data, { [deleted]: data[String(own)], other: 1 });
		await workflow.activate('update')();
		expect(Object.keys(data)).toEqual([own, deleted, 'other']);
		workflow.nodes = { Trigger: workflow.node };
		await workflow.activate('update')();
		expect(Object.keys(data)).toEqual([own, 'other']);
	});

	it('is another trigger under another ID, with a memory of its own', async () => {
		const { workflow, poll } = await active();
		workflow.node = { ...workflow.node, id: 'f0f0' };
		workflow.answer = dropped;
		expect(await workflow.activate('activate')()).toBeNull();
		workflow.node = { ...workflow.node, id: 'e0e0' };
		expect(reported(await poll())).toEqual(['channelDisconnected']);
	});

	it.each(['init', 'leadershipChange'] as const)(
		'does not stay off because the service fails while n8n starts (%s)',
		async (mode) => {
			const { workflow } = await active();
			workflow.answer = 401;
			const poll = workflow.activate(mode);
			expect(await poll()).toBeNull();
			await expect(poll()).rejects.toThrow('The key is unknown');
			workflow.answer = dropped;
			expect(reported(await poll())).toEqual(['channelDisconnected']);
		},
	);

	it('waits five minutes at most for its turn, and then fails', async () => {
		const { workflow, poll } = await active();
		// The five minutes are over at once.
		const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort());
		await expect(poll()).rejects.toMatchObject({
			message: expect.stringMatching(/could not be read: the plan of the API key is used up/),
			// Not that nothing is lost: what drops and comes back in the meantime is not seen.
			description: expect.stringMatching(
				/The next successful poll reports what differs from the last one\.$/,
			),
		});
		expect(timeout.mock.calls).toEqual([[300_000]]);
		timeout.mockRestore();
		expect(workflow.requests).toBe(1);
	});

	it('says when the service asks to come back, and names no option that it does not have', async () => {
		const { workflow, poll } = await active();
		workflow.answer = 429;
		workflow.headers = { 'retry-after': '200' };
		for (let n = 0; n < 2; n++) {
			await expect(poll()).rejects.toMatchObject({
				message: expect.stringMatching(/asks to come back at \d\d:\d\d on \d+ \w+ \d{4}$/),
				description: expect.not.stringMatching(/Max Wait|item|run/),
				httpCode: '429',
			});
		}
		expect(workflow.requests).toBe(3);
	});

	it.each(['activate', 'trigger'])(
		'fails with a list that is cut, and reports nothing removed (%s)',
		async (when) => {
			const workflow = new Workflow();
			const poll = workflow.activate('activate');
			if (when === 'trigger') await poll();
			const kept = () => structuredClone({ ...workflow.staticData['global'] });
			const before = kept();
			workflow.answer = records(4);
			workflow.headers = { 'x-total-count': '5' };
			await expect(poll()).rejects.toMatchObject({
				message: expect.stringMatching(
					/^The channels could not be read: The service sent 4 of 5 channels\b/,
				) as string,
				description: expect.stringMatching(/^Ask for larger pages: .* under Query Parameters\b/) as string,
			});
			expect(kept()).toEqual(before);
		},
	);

	it('asks with its query parameters; after they change, a channel that is missing was not removed', async () => {
		const options = (value: string) => ({ queryParameters: { parameters: [{ name: 'pageSize', value }] } });
		const { workflow, poll } = await active({ events: allEvents, options: options('5 00') });
		expect(workflow.lastUrl).toMatch(/\/api\/v1\/Admin\/Channel\?pageSize=5\+00$/);
		workflow.parameters = { events: allEvents, options: options('2') };
		workflow.answer = records(4);
		expect(reported(await poll()) ?? []).toEqual([]);
		workflow.answer = records(3);
		expect(reported(await poll())).toEqual(['channelRemoved']);
	});

	it('reads a list in an envelope', async () => {
		const { workflow, poll } = await active();
		workflow.answer = async () => ({ data: { channels: dropped, total: 5 } });
		expect(reported(await poll())).toEqual(['channelDisconnected']);
	});

	it('does not take a late list for a newer one', async () => {
		const { workflow, poll } = await active();
		let arrive: (list: unknown[]) => void = () => {};
		workflow.answer = async () => await new Promise((resolve) => (arrive = resolve));
		const slow = poll();
		while (workflow.requests < 2) await new Promise(setImmediate);
		workflow.answer = dropped;
		expect(await poll()).toBeNull();
		expect(workflow.requests).toBe(2);
		arrive(records(5));
		expect(await slow).toBeNull();
		expect(reported(await poll())).toEqual(['channelDisconnected']);
	});

	it.each([[{ title: 'no list' }], ['text'], [true], [null]])(
		'fails, and reports no channel as removed, when the answer is %j',
		async (body) => {
			const { workflow, poll } = await active({ events: ['channelRemoved', 'channelDisconnected'] });
			workflow.answer = async () => await Promise.resolve(body);
			for (let n = 0; n < 3; n++) await expect(poll()).rejects.toThrow('something other than a list');
			workflow.answer = dropped;
			expect(reported(await poll())).toEqual(['channelDisconnected']);
		},
	);

	it('takes an empty answer for an empty list while it knows of no channels', async () => {
		const workflow = new Workflow();
		workflow.parameters = { events: ['channelCreated'] };
		workflow.answer = null;
		const poll = workflow.activate('activate');
		expect(await poll()).toBeNull();
		expect(await poll()).toBeNull();
		workflow.answer = records(1);
		expect(reported(await poll())).toEqual(['channelCreated']);
	});

	it.each([
		['Support', 'The field "Account" needs a UUID, but it is "Support"'],
		['acc_0123456789abcdefWXYZ', 'The field "Account" needs a UUID, but it is "acc_…WXYZ"'],
	])('refuses the account %s without a request, and shows no key', async (value, message) => {
		const workflow = new Workflow();
		workflow.parameters = { accountId: locator(value) };
		await expect(workflow.activate('activate')()).rejects.toMatchObject({
			name: 'NodeOperationError',
			// n8n shows only the message when it activates a workflow, so the advice is in it as well.
			message: expect.stringContaining(`${message}. `) as string,
			description: expect.stringMatching(/./),
		});
		expect(workflow.requests).toBe(0);
	});
});

test('a filter whose expression finds nothing is refused: it would watch all channels', async () => {
	const workflow = new Workflow();
	workflow.parameters = { channelId: locator('') };
	workflow.entered = { channelId: locator('={{ $json.channel }}') };
	await expect(workflow.activate('activate')()).rejects.toMatchObject({
		message: expect.stringMatching(/"Channel" is empty/),
	});
});

describe('the test in the editor', () => {
	const test = async (list: Answer, parameters: IDataObject = {}) => {
		const workflow = new Workflow();
		workflow.answer = list;
		workflow.parameters = parameters;
		const output = await workflow.activate('manual', 'manual')();
		expect(workflow.staticData).toEqual({});
		return output?.[0]?.map(({ json }) => json);
	};

	it.each(allEvents)('shows one of the channels as if it had just happened: %s', async (event) => {
		const [item] = (await test(records(3), { events: [event] })) ?? [];
		expect(item).toMatchObject({ event, channelId: idOf(0), name: 'Channel 0' });
		expect(Object.entries(item ?? {})[0]).toEqual(['isSample', true]);
		if (event === 'channelDisconnected')
			expect(item).toMatchObject({ isConnected: false, before: { isConnected: true } });
	});

	it('fails when there is no channel to show, and says which fields to check', async () => {
		await expect(test(records(3), { channelType: 'SMS' })).rejects.toMatchObject({
			message: 'No channel matches the filters',
			description: expect.stringContaining('Check Channel, Account and Channel Type.'),
		});
	});

	it('says why the list could not be read, and promises nothing about a next poll', async () => {
		await expect(test(401)).rejects.toMatchObject({
			message: 'The channels could not be read: The key is unknown',
			description: expect.not.stringMatching(/next successful poll/),
		});
	});
});

describe('with a channel by its name', () => {
	const byName = (value: string) => ({ __rl: true, mode: 'name', value });
	const [first] = records(5);
	const watching = async (name = String(first!.name)) => {
		const filter = { channelId: byName(name) };
		const workflow = new Workflow();
		workflow.parameters = { ...filter, events: allEvents };
		workflow.entered = filter;
		const poll = workflow.activate('activate');
		await poll();
		return { workflow, poll };
	};

	it('watches that channel alone, in one request', async () => {
		const { workflow, poll } = await watching();
		expect(workflow.requests).toBe(1);
		workflow.answer = records(5).map((_, n) => record(n, { isConnected: false }));
		expect((await poll())?.[0]?.map(({ json }) => json.channelId)).toEqual([idOf(0)]);
	});

	it.each([
		['is gone', records(5).slice(1)],
		[
			'is deleted for good',
			[record(0, { status: { isTerminalDeletionState: true } }), ...records(5).slice(1)],
		],
	])('fails when it %s', async (_how, answer) => {
		const { workflow, poll } = await watching();
		workflow.answer = answer;
		await expect(poll()).rejects.toThrow('Channel 0');
	});

	it('fails if none or several have the name', async () => {
		await expect(watching('No such channel')).rejects.toThrow('No such channel');
		const { workflow, poll } = await watching();
		workflow.answer = [...records(5), record(7, { name: first!.name })];
		await expect(poll()).rejects.toThrow('Channel 0');
	});
});
