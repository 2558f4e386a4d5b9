/**
 * What happens when n8n changes what the node builds on and what its documentation does not promise: nothing is sent twice,
 * nothing is dropped without a word, and no answer is taken for an approval.
 */
import { agentsOf, goesOn } from './agents.mts';
import { useDeliveryLab } from './delivery-lab.mts';
import { errorOf } from './lab.mts';
import { loopAround, messagingNode, messagingType } from './workflow.mts';

const hello = { to: 'ada@example.com', text: 'Hello' };
const items = ['ada', 'bob'].map((name) => ({ json: { email: `${name}@example.com` } }));

describe('hidden fields do not show what n8n drops', () => {
	const lab = useDeliveryLab({ change: 'noTwins' });

	test('each run warns that misspelt names are not refused, and sends', async () => {
		const run = await lab.execute(lab.send({ onceKye: '1' }), { items: [hello] });
		expect(run.json[0]).toHaveProperty('packageId');
		expect(run.hintTexts.join('\n')).toMatch(/misspelt/);
	});
});

describe.each(['noNextRunIndex', 'ownExecuteData'] as const)('a sub-node can not be told: %s', (change) => {
	const lab = useDeliveryLab({ change });
	const { readBy, send } = agentsOf(lab);
	const kind = 'oldAgent';

	test('its model reads an error, and not an empty text', async () => {
		await lab.client.setFaults([{ kind: 'lostResponse', path: 'SendMessage', times: 1 }]);
		expect(await readBy([hello], send(), { kind })).toEqual([expect.stringMatching(/^.*MAYBE SENT/)]);
	});

	test('each call is a message of its own', async () => {
		await readBy([hello, hello], send(), { kind });
		expect(await lab.accepted()).toEqual({ Hello: 2 });
	});

	test('nobody is asked a question: the agent could not wait for the answer', async () => {
		const ask = lab.ask({}, { toEmail: 'boss@example.com', message: 'May I?', responseType: 'approval' });
		expect(await readBy([{}], ask, { kind })).toEqual([expect.stringContaining('Nobody was asked')]);
		expect(await lab.calls()).toEqual([]);
	});

	test('a call that the engine makes ends as before', async () => {
		expect(await readBy([hello, hello])).toEqual(
			[hello, hello].map(() => expect.stringMatching(/packageId/)),
		);
		expect(await lab.accepted()).toEqual({ Hello: 2 });
	});
});

describe('how many items an agent has is not told', () => {
	const lab = useDeliveryLab({ change: 'noItems' });
	const { readBy, send } = agentsOf(lab);

	test.each([1, 2])('with %i, a recipient that may be the same for all is refused', async (count) => {
		const toEmail = "={{ $('Start').item.json.email }}";
		const [read] = await readBy([hello], send({ toEmail }), { items: items.slice(0, count) });
		expect(read).toMatch(/NOT SENT .+ for all items of the agent/);
		expect(await lab.accepted()).toEqual({});
	});
});

describe('what a model sent is not told', () => {
	const lab = useDeliveryLab({ change: 'noFromAI' });
	const { readBy, send } = agentsOf(lab);

	test('of several items, fields that read the item are refused', async () => {
		const [read] = await readBy([hello], send({ toEmail: '={{ $json.email }}' }), { items });
		expect(read).toMatch(/NOT SENT .+To Email/);
		expect(await lab.accepted()).toEqual({});
	});
});

describe('a node is given a copy of its input', () => {
	const lab = useDeliveryLab({ change: 'copiedInput' });
	const values = { limitType: 'atSpecifiedTime', maxDateAndTime: '2040-07-01T12:00:00' };
	const endOf = async (item: object) => {
		const run = await lab.execute(lab.ask({ limitWaitTime: { values } }), { items: [{ ...hello, ...item }] });
		expect(run.status).toBe('waiting');
		return { end: new Date(String(run.data.waitTill)).getFullYear(), hints: run.hintTexts.join() };
	};

	test('with an approval of earlier in it, the execution waits for an answer without a limit', async () => {
		const { end, hints } = await endOf({ data: { approved: true } });
		expect(end).toBe(3000);
		expect(hints).toContain('without a time limit');
		expect((await endOf({ order: 1042 })).end).toBe(2040);
	});
});

describe('which run of the node it is is not told', () => {
	const lab = useDeliveryLab({ change: 'noRunIndex' });

	test('nothing is sent, and no round of a loop is taken for one of before', async () => {
		const workflow = loopAround(messagingNode(lab.send(), goesOn));
		const run = await lab.engine.run({
			...{ workflow, credential: lab.credential, watch: 'Done' },
			items: [{ json: hello }, { json: hello }],
		});
		expect(run.main[0].map((item) => errorOf(item).outcome)).toEqual(['unsent', 'unsent']);
		expect(await lab.accepted()).toEqual({});
	});
});

describe('n8n has no types of its own for tools', () => {
	const lab = useDeliveryLab();
	const { readBy, send } = agentsOf(lab);

	test('a call that the engine makes is one of a tool nevertheless', async () => {
		const turn = { text: 'Hello', email: 'mallory@example.com' };
		const one = { type: messagingType, items: items.slice(0, 1) };
		const [read] = await readBy([turn], send({ toEmail: '={{ $json.email }}' }), one);
		expect(read).toMatch(/NOT SENT .+To Email.+ without email/);
		expect(await lab.accepted()).toEqual({});
	});
});
