/**
 * Feeds unexpected answers to the built node in this process: for any answer, every item must end, no API key
 * may leak, and nothing may take long.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import fc from 'fast-check';
import type { IDataObject, INodeExecutionData, INodeType } from 'n8n-workflow';
import { asText } from '../../dev/harness/as-text.mts';
import { cases, idsWhere, type OperationId } from '../cases/index.mts';
import { fakeN8n } from '../unit/support/fake-n8n.mts';
import { bodies, isRefusal } from './bodies.mts';
import { drawnFrom, weighted } from './draw.mts';

const apiKey = 'acc_0123456789abcdefFEDCBA';

/** How long the node may compute, in milliseconds of CPU time. */
const longestMs = 1000;

/** How often a slow answer is given again: the first may have loaded code. */
const looks = 3;

/** Operations that call the service. Those that wait for an answer need n8n's webhooks, which are missing here. */
const played = idsWhere(({ traits }) => !traits.includes('waits') && !traits.includes('makes no call'));

/** An operation, and what the service answers it. */
interface Trial {
	readonly id: OperationId;
	readonly status: number;
	readonly type: string | undefined;
	readonly body: string;
	/** Whether GET /Me gets an answer of the service. Otherwise it gets the same one. */
	readonly isKnown: boolean;
}

const trials: fc.Arbitrary<Trial> = fc.record({
	id: fc.constantFrom(...played),
	status: fc.constantFrom(
		...[200, 200, 200, 200, 201, 204, 301, 302, 303, 307],
		...[400, 401, 404, 404, 405, 410, 422, 500, 502, 503],
	),
	type: fc.constantFrom(
		...['application/json; v=1.0', 'application/json', 'text/plain', 'text/json', undefined],
		...['text/html', ';;=', 'application/problem+json'],
	),
	body: weighted([20, bodies], [2, fc.constantFrom('<html>', '')]).map((text) =>
		text.replaceAll('KEY', apiKey),
	),
	isKnown: fc.boolean(),
});

let theOne: INodeType | undefined;

/** The built node. */
function theNode(): INodeType {
	if (theOne !== undefined) return theOne;
	const file = join(process.cwd(), 'dist', 'nodes', 'Messaging', 'Messaging.node.js');
	const { Messaging } = createRequire(file)(file) as { Messaging: new () => INodeType };
	return (theOne = new Messaging());
}

/** What is wrong with what the node makes of the answer of a seed. */
export async function answerFaults(seed: number): Promise<string[]> {
	const trial = drawnFrom(trials, seed, 'answer');
	let least = Infinity;
	let wrong: string[] = [];
	for (let look = 0; look < looks && least > longestMs; look++) {
		const before = process.cpuUsage();
		wrong = itemFaults(await outputOf(trial, `https://service-${seed}-${look}.example`), trial);
		const { user, system } = process.cpuUsage(before);
		least = Math.min(least, (user + system) / 1000);
	}
	if (least > longestMs) wrong.push(`it takes ${Math.round(least)} ms`);
	return wrong.map(
		(each) => `${each}: ${trial.id} given ${trial.status} ${trial.type} ${trial.body.slice(0, 120)}`,
	);
}

/**
 * Runs the operation with two items.
 *
 * @param baseUrl different each time: a pause asked for in one trial must not delay the next
 */
async function outputOf(
	{ id, status, type, body, isKnown }: Trial,
	baseUrl: string,
): Promise<INodeExecutionData[]> {
	const [resource = '', operation = ''] = id.split('.');
	// A lookup before the call would be retried while the service fails, which is slow.
	const looksUp = cases[id].traits.includes('asks first');
	const parameters = {
		resource,
		operation,
		...cases[id][looksUp && status >= 500 ? 'most' : 'least'].given,
		options: { maxTries: 1, maxWait: 0, keepToPlan: false },
	} as IDataObject;
	const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
	const answer = { statusCode: status, headers, body };
	const given = isKnown ? () => ({ ...answer, headers: { ...headers } }) : answer;
	const { context } = fakeN8n(given, { items: 2, parameters, apiKey, baseUrl });
	const [items = []] = (await theNode().execute?.call(context)) as INodeExecutionData[][];
	return items;
}

function itemFaults(items: readonly INodeExecutionData[], { body, id, status, type }: Trial): string[] {
	const wrong: string[] = [];
	const isList = id.endsWith('getAll') || id === 'outbox.requeue' || id === 'service.request';
	if (!isList && items.length !== 2) wrong.push(`${items.length} items of 2`);
	const saysNo = body.trim() !== '' && (isRefusal(body) || type === 'application/problem+json');
	const isTaken = status < 300 && !saysNo;
	const isPage = [404, 405, 410].includes(status) && !/^\s*\uFEFF?[{[]/.test(body);
	const mayBeReplaced = isPage || [302, 303, 307].includes(status) || status >= 500;
	const changes = cases[id].least.call.method !== 'GET';
	for (const { json, pairedItem } of items) {
		if (pairedItem === undefined) wrong.push('an item without a pair');
		if (Object.getPrototypeOf(json) !== Object.prototype) wrong.push('an item of another kind');
		const { error } = json as { error?: IDataObject };
		if (error === undefined) continue;
		const outcome = asText(error['outcome']);
		if (!['rejected', 'unsent', 'unknown'].includes(outcome)) wrong.push('an error without an outcome');
		if (error['message'] === '') wrong.push('an error without a word');
		if (isTaken && changes && outcome === 'rejected') wrong.push('rejected although it was taken');
		if (mayBeReplaced && changes && outcome === 'rejected') wrong.push('rejected by what proves nothing');
	}
	if (JSON.stringify(items).includes(apiKey)) wrong.push('the API key is in the output');
	if (Object.hasOwn(Object.prototype, 'error')) wrong.push('all objects have an error now');
	return wrong;
}
