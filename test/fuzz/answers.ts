/**
 * Feeds unexpected answers to the built node in this process: for any answer, every item must end, no API key
 * may leak, and no turn of the event loop may be long.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import fc from 'fast-check';
import { asText } from '../../dev/harness/as-text.ts';
import type { IDataObject, INodeExecutionData, INodeType } from 'n8n-workflow';
import { cases, operationIds } from '../cases/index.ts';
import { fakeN8n } from '../unit/support/fake-n8n.ts';
import { drawnFrom } from './draw.ts';

const apiKey = 'acc_0123456789abcdefFEDCBA';

/** One of these words. */
const oneOf = (words: string): fc.Arbitrary<string> => fc.constantFrom(...words.split(/\s+/));

/** Property names, some of which the node, n8n or JavaScript gives a meaning. */
const names = fc.oneof(
	{ weight: 3, arbitrary: fc.string({ maxLength: 8 }) },
	{
		weight: 4,
		arbitrary: oneOf(`error errors title detail status id channelId packageId messageId content
			__proto__ constructor prototype toString length then toJSON
			apiKey token resourcePlan limit seconds channelType isConnected name account`),
	},
);

const scalars = fc.oneof(
	oneOf('null true 1e999 -1e999 123456789012345678901234567890 0.1e-400 -0 ""'),
	fc.constantFrom(
		JSON.stringify(apiKey),
		JSON.stringify(`curl -H "X-API-KEY: ${apiKey}"`),
		'"2024-13-45T99:99:99Z"',
	),
	fc.string({ unit: 'binary', maxLength: 20 }).map((text) => JSON.stringify(text)),
	fc.constantFrom(
		'"\\ud800"',
		'"\uFFFD\uFFFD"',
		'"\\u0000"',
		`"${'x'.repeat(100_000)}"`,
		`"${'acc_'.repeat(20_000)}"`,
	),
	fc.double().map((number) => JSON.stringify(number)),
);

/** JSON as text: with names twice in an object, which no value of JavaScript has. */
const { json } = fc.letrec<{ json: string }>((tie) => ({
	json: fc.oneof(
		{ maxDepth: 5, depthSize: 'small' },
		scalars,
		fc.array(tie('json'), { maxLength: 4 }).map((members) => `[${members.join(',')}]`),
		fc
			.array(fc.tuple(names, tie('json')), { maxLength: 6 })
			.map((members) => `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`),
	),
}));

const nested = (depth: number, open: string, close: string): string =>
	open.repeat(depth) + close.repeat(depth);
const many = (count: number, one: (n: number) => string): string =>
	Array.from({ length: count }, (_, n) => one(n)).join(',');

const text = fc.oneof(
	{ weight: 8, arbitrary: json },
	{
		weight: 2,
		arbitrary: fc.constantFrom(
			'',
			'{',
			'<html>',
			`\uFEFF{}`,
			nested(20_000, '[', ']'),
			`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
			`[${many(5000, (n) => `{"channelId":"${n}","name":"x"}`)}]`,
			`{${many(5000, (n) => `"f${n}":"${n}"`)}}`,
			`[${many(50_000, () => '[]')}]`,
		),
	},
);

/** One answer of the service. */
interface Answer {
	readonly status: number;
	readonly type: string | undefined;
	readonly text: string;
}

const answer: fc.Arbitrary<Answer> = fc.record({
	status: fc.constantFrom(200, 200, 200, 200, 201, 204, 400, 401, 404, 409, 422, 500, 503),
	type: fc.constantFrom(
		...['application/json; v=1.0', 'application/json', 'text/plain', 'text/json', undefined],
		...['text/html', ';;=', 'application/problem+json'],
	),
	text,
});

let theOne: INodeType | undefined;

/** The built node. */
function theNode(): INodeType {
	if (theOne !== undefined) return theOne;
	const file = join(process.cwd(), 'dist', 'nodes', 'Messaging', 'Messaging.node.js');
	const { Messaging } = createRequire(file)(file) as { Messaging: new () => INodeType };
	return (theOne = new Messaging());
}

/** Operations that wait for an answer need n8n's webhooks, which are missing here. */
const played = operationIds.filter((id) => !cases[id].traits.includes('waits'));

/** An answer that is drawn from a seed and given to the node. */
export interface Trial {
	/** Runs the node and nothing else, so that its time can be measured. */
	run(): Promise<INodeExecutionData[][]>;
	/** What is wrong with what it made. */
	wrong(made: INodeExecutionData[][]): string[];
}

/** One answer, to one operation with two items. */
export function answerTrial(seed: number): Trial {
	const given = drawnFrom(fc.record({ id: fc.constantFrom(...played), answer }), seed, 'answer');
	const [resource = '', operation = ''] = given.id.split('.');
	// A lookup before the call would be retried while the service fails, which is slow.
	const looksUp = cases[given.id].traits.includes('asks first');
	const parameters = {
		resource,
		operation,
		...cases[given.id][looksUp && given.answer.status >= 500 ? 'most' : 'least'].given,
		options: { maxTries: 1, maxWait: 0, keepToPlan: false },
	} as IDataObject;
	const { status, type, text: body } = given.answer;
	const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
	// One service per trial: a pause asked for in one trial must not delay the next.
	const baseUrl = `https://service-${seed}.example`;
	const { context } = fakeN8n(
		{ statusCode: status, headers, body },
		{ items: 2, parameters, apiKey, baseUrl },
	);
	const execute = theNode().execute?.bind(context);
	return {
		run: async () => (await execute?.()) as INodeExecutionData[][],
		wrong: ([items = []]) => wrongWithItems(items, given),
	};
}

function wrongWithItems(
	items: readonly INodeExecutionData[],
	given: { id: (typeof played)[number]; answer: Answer },
): string[] {
	const wrong: string[] = [];
	const what = `${given.id} given ${given.answer.status} ${given.answer.type} ${given.answer.text.slice(0, 120)}`;
	const isList = given.id.endsWith('getAll') || given.id === 'outbox.requeue';
	if (!isList && items.length !== 2) wrong.push(`${items.length} items of 2: ${what}`);
	for (const { json: fields, pairedItem } of items) {
		if (pairedItem === undefined) wrong.push(`an item without a pair: ${what}`);
		if (Object.getPrototypeOf(fields) !== Object.prototype) wrong.push(`an item of another kind: ${what}`);
		const { error } = fields as { error?: IDataObject };
		const isKnown =
			error === undefined || ['rejected', 'unsent', 'unknown'].includes(asText(error['outcome']));
		if (!isKnown) wrong.push(`an error without an outcome: ${what}`);
		if (error?.['message'] === '') wrong.push(`an error without a word: ${what}`);
		const isGood =
			given.answer.status < 300 && given.answer.type !== 'text/html' && given.answer.type !== ';;=';
		if (
			isGood &&
			error !== undefined &&
			error['outcome'] === 'rejected' &&
			cases[given.id].least.call.method !== 'GET'
		) {
			wrong.push(`rejected although it was taken: ${what}`);
		}
	}
	if (JSON.stringify(items).includes(apiKey)) wrong.push(`the API key is in the output: ${what}`);
	if (Object.hasOwn(Object.prototype, 'error')) wrong.push(`all objects have an error now: ${what}`);
	return wrong;
}
