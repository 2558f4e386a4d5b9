/** The node as a tool: what a model reads, and what its calls do. */
import type { INodeParameters } from 'n8n-workflow';

import { type Agent, agentsOf, goesOn, isOld } from './agents.mts';
import { useDeliveryLab } from './delivery-lab.mts';
import type { NodeSettings } from './workflow.mts';

const lab = useDeliveryLab();
const { readBy, send } = agentsOf(lab);

const hello = { to: 'ada@example.com', text: 'Hello' };
const bye = { to: 'grace@example.com', text: 'Bye' };
const kinds = ['agent', 'oldAgent'] as const;

const ways: ReadonlyArray<[kind: (typeof kinds)[number], settings: NodeSettings]> = [
	['agent', goesOn],
	...(isOld ? [] : [['agent', {}] as ['agent', NodeSettings]]),
	['oldAgent', goesOn],
	['oldAgent', {}],
	['oldAgent', { onError: 'stopWorkflow' }],
];

describe.each(ways)('what a model reads from %s, with %j', (kind, onError) => {
	const settings = { kind, ...onError };

	test('in doubt: that the message may be out, and not to send it again', async () => {
		await lab.client.setFaults([{ kind: 'lostResponse', path: 'SendMessage', times: 1 }]);
		const [read] = await readBy([hello], send(), settings);
		expect(read).toContain('MAYBE SENT (outcome: unknown): ');
		expect(read).toContain('Do not call again; tell a person.');
		expect(read).not.toMatch(/Execution|option|credential|description/);
		expect(await lab.messages()).toHaveLength(1);
	});

	test('refused by the service, and by the node: what to correct', async () => {
		await lab.client.setFaults([
			{
				kind: 'status',
				path: 'SendMessage',
				status: 400,
				times: 1,
				body: { title: 'Too long', status: 400 },
			},
		]);
		const [byService, byNode] = await readBy([hello, { ...hello, to: 'ada' }], send(), settings);
		expect(byService).toContain(
			'NOT SENT (outcome: rejected): Too long. Correct that and call again, or tell a person.',
		);
		expect(byNode).toMatch(
			/NOT SENT \(outcome: unsent\): The field .+To Email.+ Correct that and call again/,
		);
		expect(await lab.messages()).toHaveLength(0);
	});
});

describe.each(kinds)('one message for each key, called by %s', (kind) => {
	const keyed = (): INodeParameters => send({}, { onceKey: '={{ $json.question }}' });
	const asked = (question: string): Agent => ({ kind, items: [{ json: { question } }] });

	test('another message under the key is refused, the same one is told to be sent before', async () => {
		const [one, other, another] = await readBy([hello, bye, hello], keyed(), asked(`question 1 ${kind}`));
		const refused = expect.stringContaining(
			'NOT SENT (outcome: unsent): The item was not sent: this execution has another message with the same key. Do not call again',
		) as string;
		const same = expect.stringMatching(/alreadySent.+This one did nothing\. Do not repeat it\./) as string;
		const sent = expect.stringMatching(/^(?!.*alreadySent).*packageId/) as string;
		const [first = ''] = Object.keys(await lab.accepted());
		expect(await lab.accepted()).toEqual({ [first]: 1 });
		// Of calls that are made at once, each may be the first.
		if (first === 'Hello') {
			expect([one, another].sort()).toEqual(expect.arrayContaining([same, sent]));
			expect(other).toEqual(refused);
		} else {
			expect([one, other, another]).toEqual([refused, sent, refused]);
			expect(kind).not.toBe('agent');
		}

		// Calls that are made at once are compared with each other.
		const again = kind === 'agent' ? [bye, hello] : [bye];
		const later = await readBy(again, keyed(), asked(`question 1 ${kind}`));
		for (const read of later) expect(read).toMatch(/alreadySent.+This one did nothing/);
		expect(await lab.accepted()).toEqual({ [first]: 1 });
	});
});

isOld ||
	test('a question asked before, under the same key, is not told as one that went through', async () => {
		const message = "={{ $fromAI('text') }}";
		const ask = lab.ask({ onceKey: '={{ $json.order }}' }, { toEmail: 'ada@example.com', message });
		const items = [{ json: { order: 'Order 17' } }];
		await readBy([hello], ask, { items });
		const [read] = await readBy([hello], ask, { items });
		expect(read).toMatch(/alreadySent.*"A person was asked before.* Nothing was approved or done now\./);
		expect(read).not.toContain('went through');
		expect(await lab.messages()).toHaveLength(1);
	});

test('Retry On Fail does not send again what may have been processed', async () => {
	const retries = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
	for (const kind of kinds) {
		await lab.client.setFaults([{ kind: 'lostResponse', path: 'SendMessage', times: 1 }]);
		const [read] = await readBy([{ ...hello, text: kind }], send(), { kind, ...retries });
		expect(read).toContain('MAYBE SENT');
	}
	expect(await lab.accepted()).toEqual({ agent: 1, oldAgent: 1 });
});

test("its expressions are about the agent's item, not about what the agent passes", async () => {
	const items = [{ json: { order: 'Order 17' } }];
	for (const kind of kinds) await readBy([hello], send({ text: '={{ $json.order }}' }), { kind, items });
	expect(await lab.accepted()).toEqual({ 'Order 17': 2 });
});

test("of several items of the agent, another node's item is the first one for all: nothing is sent", async () => {
	const items = ['ada', 'bob'].map((name) => ({ json: { email: `${name}@example.com` } }));
	const [read] = await readBy([hello], send({ toEmail: "={{ $('Start').item.json.email }}" }), { items });
	expect(read).toMatch(/NOT SENT .+ all 2 items/);
	expect(await lab.accepted()).toEqual({});

	// Of a single one, it is what it seems.
	for (const kind of kinds) {
		const parameters = send({ toEmail: "={{ $('Start').item.json.email }}" });
		expect((await readBy([hello], parameters, { kind, items: items.slice(0, 1) }))[0]).toContain('packageId');
	}
	expect(new Set((await lab.messages()).map(({ recipient }) => recipient))).toEqual(
		new Set(['ada@example.com']),
	);
});

const two = ['ada', 'bob'].map((name) => ({ json: { email: `${name}@example.com` } }));

/** Before n8n 2.8, what the model sent is not told apart from the item. */
const tellsSent = isOld ? test.skip : test;

tellsSent(
	'of several items of the agent, a field of its own item is not taken for what the model sent',
	async () => {
		const [read] = await readBy([{ text: 'Hello' }], send({ toEmail: '={{ $json.email }}' }), { items: two });
		expect(read).toContain('packageId');
		expect((await lab.messages()).map(({ recipient }) => recipient)).toEqual(['ada@example.com']);
	},
);

test('of several items of an agent that makes its calls itself, each field of the item is the first one: nothing is sent', async () => {
	const asked = { kind: 'oldAgent', items: two } as const;
	for (const toEmail of ['={{ $json.email }}', "={{ $('Start').item.json.email }}"]) {
		const [read] = await readBy([{ text: 'Hello' }], send({ toEmail }), asked);
		expect(read).toMatch(/NOT SENT .+ all 2 items/);
	}
	expect(await lab.accepted()).toEqual({});
	const [sent] = await readBy([hello], send(), asked);
	expect(sent).toContain('packageId');
});

test('each call is a message of its own', async () => {
	for (const kind of kinds) await readBy([hello, hello], send(), { kind });
	expect(await lab.accepted()).toEqual({ Hello: 4 });
	expect(new Set((await lab.messages()).map(({ packageId }) => packageId)).size).toBe(4);
});

describe.each(kinds)('what goes out, called by %s', (kind) => {
	const recipients = async () => (await lab.messages()).map(({ recipient }) => recipient);

	test('a value of the input is not replaced by what the model sends along', async () => {
		const parameters = send({ toEmail: '={{ $json.email }}' });
		const items = [{ json: { email: 'ada@example.com' } }];
		const [refused, sent] = await readBy(
			[{ text: 'Hello', email: 'mallory@example.com' }, { text: 'Hello' }],
			parameters,
			{ kind, items },
		);
		// An older agent drops what no field asks for.
		if (kind === 'agent') expect(refused).toMatch(/NOT SENT .+To Email.+ without email/);
		expect(sent).toContain('packageId');
		expect(new Set(await recipients())).toEqual(new Set(['ada@example.com']));
	});
});

test('where the agent makes its calls itself, nobody is asked a question: it could not wait for the answer', async () => {
	const message = "={{ $fromAI('text') }}";
	const ask = lab.ask({}, { toEmail: 'boss@example.com', message, responseType: 'approval' });
	const [read] = await readBy([hello], ask, { kind: 'oldAgent' });
	expect(read).toMatch(/NOT SENT \(outcome: unsent\): Nobody was asked/);
	expect(await lab.calls()).toEqual([]);
});

test.each(kinds)('%s: a model may name the channel, and reads which names there are', async (kind) => {
	const channelId = { __rl: true, mode: 'name', value: "={{ $fromAI('channel') }}" } as const;
	const turns = [
		{ ...hello, channel: 'Support E-mail' },
		{ ...bye, channel: 'support e-mail' },
	];
	const [sent, refused] = await readBy(turns, send({ channelId }), { kind });
	expect(sent).toContain(lab.channelId('Support E-mail'));
	expect(refused).toMatch(/NOT SENT .* finds no channel named .*Correct that and call again/);
});

test('Preview can not be a tool: the model would read the recipient that the workflow keeps from it', async () => {
	const [read] = await readBy([hello], { ...send({ toEmail: 'ada@example.com' }), operation: 'preview' });
	expect(read).toMatch(/NOT DONE \(outcome: unsent\)/);
	expect(read).not.toContain('ada@example.com');
	expect(await lab.requests()).toEqual([]);
});
