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

/** What n8n's template library asks of the notes of a workflow. */
const templateRules = {
	templates: ['webhook-to-message', 'several-messages-one-answer', 'answer-in-the-chat', 'person-takes-over'],
	/** The one yellow note explains the workflow. */
	main: { color: 1, words: [100, 300], says: ['### How it works', '### Setup', 'Self-hosted n8n only'] },
	/** The white notes explain one place each. */
	other: { color: 7, words: [1, 50] },
} as const;

describe.each(templateRules.templates)('%s, as a template', (name) => {
	const notes = readExample(name)
		.nodes.filter(({ type }) => type === stickyNote)
		.map(({ parameters }) => {
			const text = asText(parameters['content']);
			return { text, words: text.split(/\s+/).length, color: Number(parameters['color'] ?? 1) };
		});
	const { main, other } = templateRules;
	const isWithin = ([least, most]: readonly [number, number], words: number): boolean =>
		words >= least && words <= most;

	test('has one yellow note with how it works, the setup and where it runs', () => {
		const [note, ...more] = notes.filter(({ color }) => color === main.color);
		expect(more).toEqual([]);
		expect(isWithin(main.words, note?.words ?? 0)).toBe(true);
		for (const part of main.says) expect(note?.text).toContain(part);
	});

	test('has short white notes beside it', () => {
		const others = notes.filter(({ color }) => color !== main.color);
		expect(
			others.filter(({ color, words }) => color !== other.color || !isWithin(other.words, words)),
		).toEqual([]);
		expect(others.length).toBeGreaterThan(0);
	});
});

describe('person-takes-over: who says STOP', () => {
	const { nodes } = readExample('person-takes-over');
	const code = nodes.find(({ name }) => name === 'What They Say')?.parameters['jsCode'];
	const { assignments } = (nodes.find(({ name }) => name === 'Settings')?.parameters ?? {}) as {
		assignments: { assignments: Array<{ name: string; value: unknown }> };
	};
	const given = Object.fromEntries(assignments.assignments.map(({ name, value }) => [name, value]));
	// What a user adds, and a comma that is left over.
	const settings = { ...given, stopWords: `${String(given['stopWords'])}, Abmelden, no more ads, ` };

	const said = (text: unknown): { saysStop: boolean; saysStart: boolean } => {
		const $ = () => ({ first: () => ({ json: settings }), item: { json: { content: { text } } } });
		const { json } = runInNewContext(`(() => {${asText(code)}})()`, { $, $json: {} }) as {
			json: { saysStop: boolean; saysStart: boolean };
		};
		return json;
	};

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
		...['stopped', 'I want to unsubscribe my wife', 'Thanks', 'please', '', '\u{1F64F}', null, undefined, 7],
	])('%j does not', (text) => {
		expect(said(text).saysStop).toBe(false);
	});

	test('START takes it back', () => {
		expect(said('Start, please')).toMatchObject({ saysStop: false, saysStart: true });
	});
});
