/** What the node tells of messages that it sends, or does not send because they have expired, in n8n's engine. */
import { randomUUID } from 'node:crypto';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { errorOf, type ExecuteOptions, useLab } from './lab.mts';

const lab = useLab();

const text = '={{ $json.text }}';
const ada = { toEmail: 'ada@example.com' };

const execute = async (given: INodeParameters, items: IDataObject[], more: ExecuteOptions = {}) =>
	await lab.execute(lab.send({}, { text, ...ada, ...given }), {
		items,
		settings: { onError: 'continueRegularOutput' },
		...more,
	});

/** What went out, by the text of each message. */
const sent = async () =>
	(await lab.requestsOf('message.send')).map(({ body }) => (body as { content: IDataObject }).content);

describe('on the wire', () => {
	test('half of an emoji, as a cut leaves it, is left out; a whole one stays', async () => {
		const item = { text: 'ab😀😀' };
		for (const value of ['={{ $json.text.slice(0, 3) }}…', '={{ $json.text.slice(3, 6) }}']) {
			await execute({ text: value }, [item]);
		}
		const whole = '={{ { content: { text: $json.text.slice(0, 3), to: { phone: "1" }, type: "TEXT" } } }}';
		await execute({ inputMode: 'json', package: whole }, [item]);
		expect((await sent()).map((content) => content['text'])).toEqual(['ab…', '😀', 'ab']);
	});

	test('NUL is refused, wherever it comes from', async () => {
		const { main } = await execute({}, [{ text: 'a\0b' }, { text: 'b' }]);
		expect(errorOf(main[0][0])).toMatchObject({
			outcome: 'unsent',
			message: expect.stringMatching(/text".*\\u0000/) as string,
		});
		const json = '={{ { content: { text: "a", media: { name: "b\\u0000" }, to: { phone: "1" } } } }}';
		const [item] = (await execute({ inputMode: 'json', package: json }, [{}])).main[0];
		expect(errorOf(item).message).toContain('content.media.name');
		expect(await lab.accepted()).toEqual({ b: 1 });
	});
});

test('a Timeout in milliseconds is refused', async () => {
	const parameters = lab.send({ timeout: 30_000 }, { text: 'Hi', ...ada });
	const [item] = (await lab.execute(parameters, { settings: { onError: 'continueRegularOutput' } })).main[0];
	expect(errorOf(item).description).toContain('milliseconds');
	expect(await lab.requestsOf('message.send')).toEqual([]);
});

describe('hints on a text', () => {
	test.each([
		['a line break that was escaped twice', text, 'Hello,\\nyour order.\\n', /^Text has \\n as two letters/],
		['a name in braces', 'Hello {{name}}', '', /^Text has \{\{ \}\} with a name in it/],
	])('%s: it is sent as it is, and told once', async (_what, value, given, hint) => {
		const items = [{ text: given }, { text: given }];
		const { hintTexts } = await execute({ text: value, toEmail: '={{ $itemIndex }}@example.com' }, items);
		expect(hintTexts).toEqual([expect.stringMatching(hint)]);
		expect((await sent()).map((content) => content['text'])).toEqual(
			items.map(() => (value === text ? given : value)),
		);
	});

	test.each(['C:\\temp', 'Hello\nAda', '{"a": 1}', 'a {b} {{}} \\ n'])('none on %j', async (given) => {
		expect((await execute({}, [{ text: given }])).hintTexts).toEqual([]);
	});

	test('braces in the data are no fixed text', async () => {
		expect((await execute({}, [{ text: 'Hello {{name}}' }])).hintTexts).toEqual([]);
	});
});

describe('a deadline', () => {
	const withDeadline = (deliveryDeadline: string) => ({ additionalFields: { deliveryDeadline } });

	test.each(['={{ $today }}', '2020-01-31', '2020-01-31T23:00:00', '={{ $json.at }}'])(
		'that is past (%s) is not sent: the error has the time in the zone of the workflow',
		async (deadline) => {
			const items = [{ text: 'late', at: '2020-01-31T22:00:00Z' }];
			const [item] = (await execute(withDeadline(deadline), items)).main[0];
			const { message, outcome, description } = errorOf(item);
			expect(outcome).toBe('unsent');
			expect(message).toMatch(/deadline.*: \d\d:\d\d on \d+ \w+ \d{4}/);
			expect(description).toContain('time zone');
			expect(await sent()).toEqual([]);
		},
	);

	test('that is past costs no call of the plan', async () => {
		const items = Array.from({ length: 50 }, (_, n) => ({ text: `late ${n}` }));
		const given = { ...withDeadline('2020-01-31'), options: { keepToPlan: true } };
		const { main } = await execute(given, items);
		expect(main[0].map((item) => errorOf(item).outcome)).toEqual(items.map(() => 'unsent'));
		expect(await lab.requests()).toEqual([]);
	});

	test('that is past in a whole package is not sent', async () => {
		const json = '={{ { content: { text: "a", to: { phone: "1" }, deliveryDeadline: "2020-01-31" } } }}';
		const [item] = (await execute({ inputMode: 'json', package: json }, [{}])).main[0];
		expect(errorOf(item).message).toContain('deadline');
	});

	test('to come is sent, and the output shows in which zone it was read', async () => {
		const given = { ...withDeadline('2900-01-31T18:00:00'), text: 'a' };
		const [{ deliveryDeadline } = {}] = (await execute(given, [{}])).json;
		expect(deliveryDeadline).toMatch(/^2900-01-31T18:00:00\.000(?:Z|[+-]\d\d:\d\d)$/);
		expect((await sent())[0]).toMatchObject({ deliveryDeadline });
	});
});

describe('the same text to the same person', () => {
	const run = async (...people: Array<[to: string, text: string]>) =>
		await execute(
			{ toEmail: '={{ $json.to }}' },
			people.map(([to, message]) => ({ to, text: message })),
		);

	test('goes out, and a hint names the items, also if the address is written in another way', async () => {
		const { hintTexts } = await run(
			['ada@example.com', 'Sale'],
			['bob@example.com', 'Sale'],
			['ADA@example.com', 'Sale'],
		);
		expect(hintTexts).toEqual([expect.stringContaining('items 0 and 2.') as string]);
		expect(await lab.accepted()).toEqual({ Sale: 3 });
	});

	test('other texts, or other people: no hint', async () => {
		expect((await run(['a@b.c', 'a'], ['a@b.c', 'b'], ['a@b.d', 'a'])).hintTexts).toEqual([]);
	});
});

describe('what was sent before', () => {
	const list = (more: ExecuteOptions = {}, count = 5) => {
		const items = Array.from({ length: count }, (_, n) => ({ id: `${key} ${n}`, text: `${n}` }));
		return lab.execute(lab.send({ onceKey: '={{ $json.id }}' }, { text, ...ada }), { items, ...more });
	};
	let key: string;
	beforeEach(() => (key = randomUUID()));

	test('is counted, and three of its keys are named', async () => {
		await list();
		const keys = [0, 1, 2].map((n) => `${key} ${n}`).join(', ');
		const [hint] = (await list()).hintTexts;
		expect(hint).toMatch(/\b5 (?:were )?sent before\b/);
		expect(hint).toContain(`${keys} and 2 more`);
	});

	test.each(['manual', 'evaluation'] as const)(
		'a run in the mode %s names the keys that it uses',
		async (mode) => {
			const { hintTexts } = await list({ mode }, 1);
			expect(hintTexts.join()).toContain(`${key} 0`);
		},
	);
});

describe('a channel that is not connected', () => {
	const send = async (options: ExecuteOptions) => await execute({ text: 'Hi' }, [{}, {}], options);
	const told = 'Support E-mail is not connected: the service took the message, and may hold it.';
	const lists = async () =>
		(await lab.requests()).filter(({ operationId }) => operationId === 'channel.getAll').length;

	test('is told in a test by hand, for which the list is read once', async () => {
		await lab.client.changeChannel(lab.channelId(), { isConnected: false });
		expect((await send({ mode: 'manual' })).hintTexts.join()).toContain(told);
		expect(await lists()).toBe(1);
		expect(await lab.accepted()).toEqual({ Hi: 2 });
	});

	test('is not looked for in a published workflow, and one that is connected is not told', async () => {
		await lab.client.changeChannel(lab.channelId(), { isConnected: false });
		expect((await send({ mode: 'trigger' })).hintTexts.join()).not.toContain(told);
		expect(await lists()).toBe(0);
		await lab.client.changeChannel(lab.channelId(), { isConnected: true });
		expect((await send({ mode: 'manual' })).hintTexts.join()).not.toContain('connected');
	});

	test.each([
		[3, 0],
		[4, 1],
	])('of a plan of %i calls three are used: the list is read %i times', async (limit, read) => {
		// Less than a hint may wait: it would take the next slot.
		await lab.client.setPlan({ limit, seconds: 2 });
		await execute({ text: 'Hi', options: { keepToPlan: true } }, [{}, {}], { mode: 'manual' });
		expect(await lists()).toBe(read);
	});

	test('is not looked for while calls of another run wait', async () => {
		const slow = { text: 'Slow', toEmail: '={{ $json.to }}', options: { maxConcurrency: 1 } };
		await lab.client.setFaults([{ kind: 'hold', bodyContains: 'Slow' }]);
		const other = execute(slow, [{ to: 'a@b.c' }, { to: 'd@e.f' }]);
		await lab.received(1);
		await send({ mode: 'manual' });
		expect(await lists()).toBe(0);
		await lab.client.clearFaults();
		await other;
		await send({ mode: 'manual' });
		expect(await lists()).toBe(1);
	});

	test('a list that can not be read costs nothing', async () => {
		await lab.client.setFaults([{ kind: 'status', status: 500, path: 'Admin/Channel' }]);
		const run = await send({ mode: 'manual' });
		expect([run.status, run.json.length]).toEqual(['success', 2]);
	});
});

test('entries that each of several items requeues are told: they are delivered again and again', async () => {
	const { channelId } = lab.channel('Support Ticket Hook');
	const items = lab.state.outbox
		.filter((entry) => entry.channelId === channelId && entry.statusName === 'Failed')
		.map(({ httpSenderOutboxEntryId: id }) => ({ id }));
	const requeue = async (entryIds: string) => {
		const channel = { __rl: true, mode: 'id', value: channelId };
		const parameters = { resource: 'outbox', operation: 'requeue', channelId: channel, entryIds };
		return (await lab.execute(parameters, { items })).hintTexts;
	};
	expect(await requeue('={{ $json.id }}')).toEqual([]);
	expect(await requeue('={{ $input.all().map(({ json }) => json.id) }}')).toEqual([
		expect.stringMatching(/^The same was done more than once: items 0 and 1\./),
	]);
});
