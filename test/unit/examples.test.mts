import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';

import { asText } from '../../dev/harness/as-text.mts';
import { exampleNames, readExample } from '../../dev/harness/examples.mts';
import type { WorkflowNode } from '../../dev/harness/n8n/api.mts';

/** What a person sees who opens an example, and what is in it that must not be. */

const stickyNote = 'n8n-nodes-base.stickyNote';

/** The place of a node on the canvas, with its name below it. */
function placeOf({ type, position: [x, y], parameters }: WorkflowNode) {
	if (type === stickyNote) {
		return { x, y, width: Number(parameters['width']), height: Number(parameters['height']) };
	}
	if (type.endsWith('.agent')) return { x, y, width: 256, height: 96 };
	// The button that executes the workflow is on the left of a trigger.
	const button = /(Trigger|\.webhook)$/.test(type) ? 200 : 0;
	return { x: x - button, y, width: 96 + button, height: 130 };
}

type Place = ReturnType<typeof placeOf>;

const overlap = (a: Place, b: Place): boolean =>
	a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

/** All texts in a node's parameters. */
function textsIn(value: unknown): string[] {
	if (typeof value === 'string') return [value];
	return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

describe.each(exampleNames)('%s', (name: string) => {
	const { nodes } = readExample(name);

	test('has no two nodes or notes in one place', () => {
		const places = nodes.map((node) => ({ name: node.name, place: placeOf(node) }));
		const covered = places.flatMap((one, index) =>
			places
				.slice(index + 1)
				.flatMap((other) => (overlap(one.place, other.place) ? [`${one.name} / ${other.name}`] : [])),
		);
		expect(covered).toEqual([]);
	});

	test('has expressions in expression mode, and no address or number of a real person', () => {
		const texts = nodes.flatMap(({ type, parameters }) => (type === stickyNote ? [] : textsIn(parameters)));
		expect(texts.filter((text) => /\{\{ ?\$/.test(text) && !text.startsWith('='))).toEqual([]);
		const addresses = [...JSON.stringify(nodes).matchAll(/[\w.+-]+@([\w.-]+)/g)].map(([, host]) => host);
		expect(addresses.filter((host) => !/^(example\.com|n8n)$/.test(host ?? ''))).toEqual([]);
	});
});

type Json = Record<string, unknown>;

/** Runs a Code node of an example with what other nodes have given, as n8n does for all items, or for one. */
function runCode(example: string, name: string, given: Readonly<Record<string, readonly Json[]>>): Json[] {
	const { mode, jsCode } = readExample(example).nodes.find((node) => node.name === name)?.parameters ?? {};
	const items = (node: string) => (given[node] ?? []).map((json) => ({ json }));
	const $ = (node: string) => ({
		all: () => items(node),
		first: () => items(node)[0],
		item: items(node)[0],
	});
	const context = { $, $input: { all: () => items('input') }, $json: given['input']?.[0] };
	const result = runInNewContext(`(() => {${asText(jsCode)}})()`, context) as
		| { json: Json }
		| Array<{ json: Json }>;
	return (mode === 'runOnceForEachItem' ? [result as { json: Json }] : (result as Array<{ json: Json }>)).map(
		({ json }) => json,
	);
}

const answering = [
	'answer-a-customer',
	'agent-answers-a-customer',
	'person-takes-over',
	'answer-in-the-chat',
];

describe('What examples have in common', () => {
	const all = exampleNames.flatMap((example) =>
		readExample(example).nodes.map((node) => ({ example, ...node })),
	);
	const parametersOf = (name: string) =>
		all.flatMap((node) =>
			node.name === name && answering.includes(node.example) ? [[node.example, node.parameters]] : [],
		);

	test.each([
		...['Messages', 'Each Message', 'Read the Message', 'What Arrived', 'To Be Answered', 'Note the Answer'],
		...['Latest Answers', 'Count the Answers', 'May It Be Answered?', 'Forget Old Answers'],
	])('%s is the same in all that answer', (name) => {
		const found = parametersOf(name);
		expect(found.map(([example]) => example).sort()).toEqual([...answering].sort());
		for (const [, parameters] of found) expect(parameters).toEqual(found[0]?.[1]);
	});

	test('tables of one name have the same columns', () => {
		const tables = new Map<unknown, unknown>();
		for (const { parameters } of all) {
			const { operation, tableName, columns } = parameters;
			if (operation !== 'create' || tableName === undefined) continue;
			expect(columns).toEqual(tables.get(tableName) ?? columns);
			tables.set(tableName, columns);
		}
		expect(tables.size).toBeGreaterThan(5);
	});

	test('their messages are marked as those of a workflow', () => {
		const sending = all.filter(({ parameters: { operation } }) => operation === 'send');
		for (const { parameters } of sending) {
			const { correlationId } = parameters['additionalFields'] as { correlationId?: string };
			expect(correlationId).toMatch(/^=?workflow:/);
		}
		expect(sending.length).toBeGreaterThan(10);
	});

	test('a list is previewed as it is sent', () => {
		const { nodes } = readExample('bulk-send-from-a-table');
		const [previewed, sent] = ['Preview Each Row', 'Send to Each Row'].map((name) => ({
			...nodes.find((node) => node.name === name)?.parameters,
			operation: '',
		}));
		expect(previewed).toEqual(sent);
	});
});

test.each<[Json, isAnswered: boolean]>([
	[{ orderId: 7 }, false],
	// Of the input itself, or what a node of n8n was answered before.
	[{ orderId: 7, data: { text: 'Yes' } }, false],
	[{ data: { approved: false, respondedAt: '2030-12-24T10:00:00Z' } }, true],
])('Answered in Time? of %j: %s', ($json, isAnswered) => {
	const { nodes } = readExample('approval-before-order');
	const { conditions } = nodes.find(({ name }) => name === 'Answered in Time?')?.parameters as {
		conditions: { conditions: Array<{ leftValue: string; operator: Json }> };
	};
	const [{ leftValue, operator } = { leftValue: '', operator: {} }] = conditions.conditions;
	expect(operator).toMatchObject({ type: 'string', operation: 'exists' });
	const value: unknown = runInNewContext(leftValue.replace(/^=\{\{|\}\}$/g, ''), { $json });
	expect(value !== undefined).toBe(isAnswered);
});

describe('What Arrived', () => {
	const arrived = (message: Json): Json | undefined =>
		runCode('person-takes-over', 'What Arrived', { input: [{ channelId: 'c', ...message }] })[0];
	const from = (email: string) => ({ type: 'EMAIL', email });

	test.each([
		['customer', { content: { from: from('ada@example.com'), isFromMe: '0', isBroadcast: 'False' } }],
		['customer', { content: { from: from('norbert.reply@example.com'), isGroupMessage: null } }],
		['customer', {}],
		['own side', { content: { isFromMe: 1, to: from('ada@example.com') } }],
		['own side', { echoMessage: 'True', content: { from: from('ada@example.com') } }],
		['nobody', { content: { from: from('ada@example.com'), isGroupMessage: true, isFromMe: true } }],
		['nobody', { content: { from: from('ada@example.com'), isCommunityNotices: 'TRUE' } }],
		...'mailer-daemon MAILER-DAEMON postmaster no-reply noreply+7 do_not_reply shop.noreply'
			.split(' ')
			.map((name): [string, Json] => ['robot', { content: { from: from(`Shop <${name}@example.com>`) } }]),
	])('%s: %j', (who, message) => {
		expect(arrived(message)).toMatchObject({ who });
	});

	test.each([
		[{ type: 'EMAIL', email: ' Ada Lovelace <Ada@Example.com> ' }, 'ada@example.com'],
		[{ type: 'EMAIL', name: 'b@example.com', email: '"Ada@example.com"' }, 'ada@example.com'],
		[{ type: 'PHONE', phone: '+49 (30) 123-45/67', country: 'DE' }, '+49301234567'],
		[{ type: 'CHAT', user: 'U7' }, 'u7'],
	])('the address in %j is %j', (sender, address) => {
		expect(arrived({ content: { from: sender } })).toMatchObject({ address, customer: `c ${address}` });
	});

	const gmail = 'On Mon, Nov 2, 2026 at 10:00 AM Shop <shop@example.com> wrote:';
	test.each([
		['STOP\n\n-- \nAda', 'STOP'],
		['STOP\r\n\r\nSent from my iPhone', 'STOP'],
		['STOP\nVon meinem iPhone gesendet', 'STOP'],
		['STOP\nGet Outlook for iOS', 'STOP'],
		[`STOP\n\n${gmail}\n\n> Hello Ada\n> STOP ends this.`, 'STOP'],
		[`STOP\n\n${gmail.replace(' wrote:', '\nwrote:')}\n\nHello Ada`, 'STOP'],
		['STOP\n\nAm 02.11.26 um 10:00 schrieb Shop:\n> Hello', 'STOP'],
		['STOP\n________________________________\nFrom: Shop\nSent: Monday', 'STOP'],
		['STOP\n-----Original Message-----\nFrom: Shop', 'STOP'],
		['STOP\n\nVon: Shop <shop@example.com>\nGesendet: Montag', 'STOP'],
		[`> Hello Ada\n\nSTOP`, 'STOP'],
		['Two\nlines', 'Two\nlines'],
		['See you at 7:\nAda', 'See you at 7:\nAda'],
		['My address: ada@example.com', 'My address: ada@example.com'],
		['', ''],
		[undefined, ''],
		[7, '7'],
	])('of %j the person wrote %j', (text, written) => {
		expect(arrived({ content: { from: from('ada@example.com'), text } })).toMatchObject({ text: written });
	});
});

describe('Count the Answers', () => {
	/** Whether each of these messages is one of a loop, if all come so many minutes apart. */
	const areLoops = (count: number, minutes: number): unknown[] => {
		const rows = Array.from({ length: count }, (_, id) => ({
			...{ id, customer: 'ada', messageId: `${id}` },
			createdAt: new Date(Date.UTC(2026, 0, 1, 0, id * minutes)).toISOString(),
		}));
		const given = { input: rows, 'Note the Answer': rows, 'To Be Answered': rows };
		return runCode('answer-a-customer', 'Count the Answers', given).map(({ isLoop }) => isLoop);
	};

	test.each([
		[8, 0, 5],
		[8, 1, 5],
		[8, 5, 8],
		[25, 30, 20],
		[25, 80, 25],
	])('of %i messages, %i minutes apart, %i are answered', (count, minutes, answered) => {
		expect(areLoops(count, minutes)).toEqual(Array.from({ length: count }, (_, id) => id >= answered));
	});
});

describe('person-takes-over: who says STOP', () => {
	const { nodes } = readExample('person-takes-over');
	const { assignments } = (nodes.find(({ name }) => name === 'Settings')?.parameters ?? {}) as {
		assignments: { assignments: Array<{ name: string; value: unknown }> };
	};
	const settings = Object.fromEntries(assignments.assignments.map(({ name, value }) => [name, value]));
	// What a user adds, and a comma that is left over.
	const added = { ...settings, stopWords: `${String(settings['stopWords'])}, Abmelden, no more ads, ` };
	const said = (text: string, address = '+49301234567'): Json | undefined =>
		runCode('person-takes-over', 'What They Say', {
			...{ input: [{ id: 1 }], Settings: [added] },
			'What Arrived': [{ text, address }],
		})[0];

	test.each([
		...['STOP', 'stop', 'End', 'QUIT', 'cancel', 'Revoke', 'UNSUBSCRIBE', 'StopAll', 'Stop all', 'opt-out'],
		...['"Stop!"', 'STOP...', 'Stop. Thanks!', 'please stop', 'Stop, thank you \u{1F64F}', 'stop stop STOP'],
		...['\u200bStop\ufeff', 'S\u00adTOP\ufe0f', ' \u202aSTOP\u202c\n', '\uff33\uff34\uff2f\uff30'],
		...['Abmelden!', 'ABMELDEN, please', 'No more ads.'],
	])('%j stops', (text) => {
		expect(said(text)).toMatchObject({ saysStop: true, saysStart: false });
	});

	test.each([
		...["Don't stop the good work", 'Cancel my order', 'Where does the bus stop?', 'The end', 'nonstop'],
		...[
			'stopped',
			'I want to unsubscribe my wife',
			'Thanks',
			'please',
			'',
			'\u{1F64F}',
			'Stop\nthe delivery',
		],
	])('%j does not', (text) => {
		expect(said(text)).toMatchObject({ saysStop: false });
	});

	test('the first line of an e-mail counts, and START takes it back', () => {
		expect(said('Stop\nAda Lovelace', 'ada@example.com')).toMatchObject({ saysStop: true });
		expect(said('Start, please')).toMatchObject({ saysStop: false, saysStart: true });
	});
});

describe('answer-in-the-chat: which question is answered', () => {
	const rows = [8, 7].map((id) => ({
		...{ id, customer: 'ada', messageId: `m${id}`, resumeUrl: `url ${id}` },
		question: `Question ${id}: order`,
	}));
	const answered = (text: string, open = rows, quotedMessage?: Json): Json | undefined =>
		runCode('answer-in-the-chat', 'Which Question, Which Answer?', {
			input: [...open, ...open],
			'From a Customer': [{ customer: 'ada', text, package: { content: { text, quotedMessage } } }],
		})[0];
	const one = rows.slice(0, 1);

	test.each([
		['1', one, undefined, 'yes', 8],
		['Yes!', one, undefined, 'yes', 8],
		['2.', one, undefined, 'no', 8],
		['NO', one, undefined, 'no', 8],
		['7 1', rows, undefined, 'yes', 7],
		['Question 8: no', rows, undefined, 'no', 8],
		['1', rows, { messageId: 'm7' }, 'yes', 7],
		['2', rows, { body: 'Question 8: Hello Ada' }, 'no', 8],
	])('%j answers', (text, open, quotedMessage, answer, id) => {
		expect(answered(text, open, quotedMessage)).toMatchObject({ answer, resumeUrl: `url ${id}` });
	});

	test.each<[text: string, open: typeof rows, quotedMessage: Json | undefined]>([
		...['Sure? No!', 'No problem', 'Yes, but later', 'ok', '12', '3', ''].map(
			(text): [string, typeof rows, undefined] => [text, one, undefined],
		),
		['1', rows, undefined],
		['9 1', rows, undefined],
		['1', one, { body: 'Question 5: an older one' }],
	])('%j is asked again', (text, open, quotedMessage) => {
		const result = answered(text, open, quotedMessage);
		expect(result?.['answer']).toBe('');
		for (const { question } of open) expect(result?.['say']).toContain(question);
	});

	test('nothing is said to whoever was not asked', () => {
		expect(answered('1', [])).toBeUndefined();
	});
});

describe('Expressions in the guides', () => {
	/** What an expression of a guide gives, found by a part of it. */
	const given = (guide: string, part: string, $json: Json): unknown => {
		const expressions = readFileSync(`docs/${guide}.md`, 'utf8').matchAll(/^ *\{\{ (.*) \}\}$/gm);
		const [code] = [...expressions].map((found) => found[1] ?? '').filter((each) => each.includes(part));
		return runInNewContext(asText(code), { $json });
	};

	test.each([
		['ai-agents', '</think>', { output: '<think>They ask for it.</think>\n\nHello' }, 'Hello'],
		['ai-agents', '</think>', { output: 'Hello' }, 'Hello'],
		[
			...['ai-agents', '__'],
			{ output: '# **Hello**\nSee [our page](https://example.com), `now`. 2 * 3 * 4' },
			'Hello\nSee our page: https://example.com, now. 2 * 3 * 4',
		] as const,
		['ai-agents', 'stopped', { output: 'Agent stopped due to max iterations.' }, true],
		['ai-agents', 'stopped', { output: 'Hello' }, false],
		[
			'receive',
			'auto-submitted',
			{ package: { providerMetadata: { 'auto-submitted': 'auto-replied' } } },
			true,
		],
		['receive', 'auto-submitted', { package: {} }, false],
	] as const)('%s: %s of %j', (guide, part, json, result) => {
		expect(given(guide, part, json)).toBe(result);
	});
});
