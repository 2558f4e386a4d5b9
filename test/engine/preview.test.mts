/** Preview: what Send would do with each item. */
import { randomUUID } from 'node:crypto';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { Messaging } from '../../nodes/Messaging/Messaging.node.ts';
import { findOperation } from '../../nodes/Messaging/operations/index.ts';
import { letters, onceEach, orders, textOf, useDeliveryLab } from './delivery-lab.mts';
import { everyMode } from './lab.mts';
import type { Run } from './run.mts';
import { loopAround, messagingNode } from './workflow.mts';

const lab = useDeliveryLab();

const preview = (send: INodeParameters, options: INodeParameters = {}): INodeParameters => ({
	...send,
	operation: 'preview',
	options: { ...(send['options'] as INodeParameters), ...options },
});
const withRequest = { showRequest: true };
const hintsOf = ({ hints }: Run): string => hints.map(({ message }) => message).join('\n');

/** Fifty people, of whom items 4, 17 and 33 can't be written to. */
function fifty(): Array<{ to: string; text: string; id: string }> {
	const list = randomUUID();
	const people = Array.from({ length: 50 }, (_, n) => ({
		...{ to: `p${n}@example.com`, text: `Hello ${n}`, id: `${list} ${n}` },
	}));
	Object.assign(people[4]!, { to: 'p4@' });
	Object.assign(people[17]!, { text: '' });
	Object.assign(people[33]!, { id: '' });
	return people;
}

test.each(everyMode)(
	'all mistakes of a list show in one run, and nothing is called (%s)',
	async (onError) => {
		const items = fifty();
		const run = await lab.execute(preview(lab.once()), { items, settings: { onError } });

		expect(run.status).toBe('success');
		expect(await lab.requests()).toEqual([]);
		expect(run.json).toHaveLength(50);
		expect(run.main[0].map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
		const refused = run.json.flatMap(({ wouldSend }, item) => (wouldSend === true ? [] : [item]));
		expect(refused).toEqual([4, 17, 33]);
		expect(run.json[4]).toMatchObject({ recipient: 'p4@', text: 'Hello 4', notes: [], onceKey: '' });
		expect(run.json[4]?.['reason']).toContain('To Email');
		const columns = ['wouldSend', 'recipient', 'text', 'reason', 'notes', 'onceKey'];
		for (const item of run.json) expect(Object.keys(item)).toEqual(columns);
		expect(run.json[0]).toMatchObject({
			recipient: 'p0@example.com',
			text: 'Hello 0',
			onceKey: items[0]?.id,
		});
		const hints = hintsOf(run);
		expect(hints).toMatch(/4, 17, 33/);
		expect(hints).toContain(`Send would send ${onError === 'stopWorkflow' ? 0 : 47} of 50`);
		expect(hints).toContain('47 of 50');
	},
);

test('of a refused item, the recipient is its address, and empty where that is missing', async () => {
	const items = [{ to: '' }, { to: 'p4@' }, { to: '+49 30 1' }];
	const byEmail = await lab.execute(preview(lab.send({}, { text: 'Hi' })), { items: items.slice(0, 2) });
	const toRows = { values: [{ name: 'phone', value: '={{ $json.to }}' }] };
	const byPhone = await lab.execute(
		preview(lab.send({}, { addressType: 'other', toRows, text: '={{ $json.none }}' })),
		{
			items,
		},
	);
	expect([byEmail, byPhone].map(({ json }) => json.map(({ recipient }) => recipient))).toEqual([
		['', 'p4@'],
		['', 'p4@', '+49 30 1'],
	]);
});

test('what is previewed and then sent goes out once, as it was shown', async () => {
	const items = fifty().filter((_, item) => ![4, 17, 33].includes(item));
	const send = lab.once();
	const shown = await lab.execute(preview(send, withRequest), { items });
	const again = await lab.execute(preview(send, withRequest), { items });
	expect(again.json).toEqual(shown.json);

	const sent = await lab.execute(send, { items });

	expect(sent.json.filter(({ alreadySent }) => alreadySent === true)).toEqual([]);
	const bodies = (await lab.calls()).map(({ body }) => body as IDataObject);
	const expected = shown.json.map(({ request }) => (request as IDataObject)['body'] as IDataObject);
	const byText = (all: IDataObject[]) => new Map(all.map((body) => [textOf(body), body]));
	expect(byText(bodies)).toEqual(byText(expected));
	expect(bodies).toHaveLength(47);
});

test('a note on all rows is told once, and Send by hand tells it, too', async () => {
	const items = letters(8);
	const send = lab.send({}, { text: '=Hello {{ $json.nmae }}' });
	const shown = await lab.execute(preview(send), { items });
	expect(hintsOf(shown)).toContain('Send would send 8 of 8. 8 have notes: {{ $json.nmae }} finds nothing.');
	const [byHand, published] = [
		await lab.execute(send, { items, mode: 'manual' }),
		await lab.execute(send, { items }),
	];
	expect(hintsOf(byHand)).toContain('{{ $json.nmae }} finds nothing');
	expect(hintsOf(published)).toBe('');
});

test('Send by hand tells it, too, if an item of the list is refused', async () => {
	const items = [...letters(3), { to: '', text: 'x' }];
	const send = lab.send({}, { text: '=Hello {{ $json.nmae }}' });
	const settings = { onError: 'continueRegularOutput' } as const;
	const run = await lab.execute(send, { items, mode: 'manual', settings });
	expect(hintsOf(run)).toContain('{{ $json.nmae }} finds nothing');
});

test('notes tell what may not be meant, each for its item', async () => {
	const ada = { to: 'ada@example.com', name: 'Ada', code: 'x', id: 'a' };
	const items = [
		ada,
		{ ...ada, to: 'b@example.com', name: '', id: 'b' },
		{ ...ada, to: 'c@example.com', code: 'a\\nb', id: 'c' },
		{ ...ada, id: 'a' },
		{ ...ada, id: 'e' },
		{ ...ada, to: 'f@example.com', title: undefined, id: 'f' },
	];
	const text = '=Hello {{ $json.name }}, <b>{{ $json.code }}</b>{{ $json.title ?? "" }}';
	const run = await lab.execute(preview({ ...lab.once(), text }), { items });

	const notes = run.json.map((item) => ((item['notes'] ?? []) as string[]).join('\n'));
	expect(notes[0]).toBe('');
	expect(notes[1]).toContain('{{ $json.name }}');
	expect(notes[2]).toContain('\\n');
	expect(run.json[3]).toMatchObject({ reason: expect.stringContaining('item 0') as string, notes: [] });
	expect(notes[4]).toContain('item 0');
	expect(notes[5]).toBe('');
	expect(run.json.map(({ wouldSend }) => wouldSend)).toEqual([true, true, true, false, true, true]);
	expect(hintsOf(run)).toMatch(
		/5 of 6; .*\. 3 have notes: \{\{ \$json\.name \}\} finds nothing \(item 1\); Text has \\n.* \(item 2\); The same text to the same person \(item 4\)\./,
	);
	expect(run.hints[0]?.type).toBe('warning');
});

test('another message under a key, and a deadline that is past, are refused as Send refuses them', async () => {
	const send = lab.once();
	const items = [
		{ to: 'a@example.com', text: 'one', id: 'k', by: '2999-01-01' },
		{ to: 'a@example.com', text: 'two', id: 'k', by: '2999-01-01' },
		{ to: 'a@example.com', text: 'three', id: 'l', by: '2001-01-01' },
	];
	const additionalFields = { deliveryDeadline: '={{ $json.by }}' };
	const run = await lab.execute(preview({ ...send, additionalFields }), { items });
	expect(run.json.map(({ wouldSend }) => wouldSend)).toEqual([true, false, false]);
	expect(run.json.map(({ reason }) => reason === '')).toEqual([true, false, false]);
});

test('names are looked up, once, and nothing else is called', async () => {
	const channelId = { __rl: true, mode: 'name', value: '={{ $json.channel }}' };
	const items = [{ channel: 'Support E-mail' }, { channel: 'Nowhere' }, { channel: 'Shop Newsletter' }];
	const send = lab.send({}, { channelId, toEmail: 'ada@example.com', text: 'Hello' });
	const run = await lab.execute(preview(send), { items });
	expect(run.json.map(({ wouldSend }) => wouldSend)).toEqual([true, false, true]);
	expect((await lab.requests()).map(({ operationId }) => operationId)).toEqual(['channel.getAll']);
});

test('the request has no ID that Send makes anew, and one that is given', async () => {
	const packageId = '3f6c1c1e-0d0a-4c1b-9a55-1f1b0c8f6a01';
	const send = lab.send({}, { toEmail: 'ada@example.com', text: 'Hello' });
	const given = { ...send, additionalFields: { packageId } };
	const bodyOf = ({ json: [item] }: Run) => (item?.['request'] as IDataObject)['body'];
	expect(bodyOf(await lab.execute(preview(send, withRequest)))).not.toHaveProperty('packageId');
	expect(bodyOf(await lab.execute(preview(given, withRequest)))).toMatchObject({ packageId });
});

test('the API key is masked in what is shown', async () => {
	const { apiKey } = lab.credential;
	const send = lab.send({}, { toEmail: 'ada@example.com', text: `The key is ${apiKey}` });
	const run = await lab.execute(preview(send, withRequest));
	expect(run.json[0]).toMatchObject({ wouldSend: true });
	expect(run.saved).not.toContain(apiKey);
});

test('in a Loop Over Items, each round shows its item, and a Send afterwards sends each once', async () => {
	const good = orders(3);
	const items = [...good, { to: 'nobody', text: 'Hello', id: 'k' }];
	const looped = await lab.engine.run({
		workflow: loopAround(messagingNode(preview(lab.once()))),
		credential: lab.credential,
		items: items.map((json) => ({ json })),
	});

	const done = looped.output('Done').map(({ json }) => json);
	expect(done.map(({ recipient }) => recipient)).toEqual(items.map(({ to }) => to));
	expect(done.map(({ wouldSend }) => wouldSend)).toEqual([true, true, true, false]);
	expect(await lab.requests()).toEqual([]);
	const sent = await lab.execute(lab.once(), { items: good });
	expect(sent.json.filter(({ alreadySent }) => alreadySent === true)).toEqual([]);
	expect(await lab.accepted()).toEqual(onceEach(good));
});

test('5,000 items are shown without a call', async () => {
	const items = letters(5000);
	const run = await lab.execute(preview(lab.send()), { items });
	expect(run.json.filter(({ wouldSend }) => wouldSend === true)).toHaveLength(5000);
	expect(await lab.requests()).toEqual([]);
});

test('switched from Send to Preview and back, a node keeps all its fields', () => {
	const fieldsOf = (name: string) =>
		findOperation('message', name)?.fields.map((field) => ({ name: field.name, type: field.type }));
	expect(fieldsOf('preview')).toEqual(fieldsOf('send'));
	const { properties } = new Messaging().description;
	for (const { displayOptions } of properties) {
		const shown = displayOptions?.show?.['operation'] ?? [];
		const isOfMessages = displayOptions?.show?.['resource']?.includes('message') === true;
		if (isOfMessages) expect(shown.includes('preview')).toBe(shown.includes('send'));
	}
});
