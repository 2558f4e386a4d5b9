/** The setup of the delivery tests: a lab that counts messages and calls. */
import { randomUUID } from 'node:crypto';
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { acceptedTexts } from '../../dev/harness/world.mts';
import type { LoggedRequest, MessageRecord } from '../../dev/sandbox/types.mts';
import type { EngineOptions } from './engine.mts';
import { eventually } from '../soon.mts';
import { errorOf, Lab, setUp, type ExecuteOptions } from './lab.mts';
import type { Run } from './run.mts';

/** The path of the API's message endpoints. */
const prefix = '/api/v1';

/** A lab in which the key's plan (its rate limit) is respected. */
export class DeliveryLab extends Lab {
	/** Runs the node once, in a new workflow. */
	override async execute(parameters: INodeParameters, options: ExecuteOptions = {}): Promise<Run> {
		return await this.start(parameters, options).finished;
	}

	/** The requests that the sandbox received, without those for the plan. */
	async calls(): Promise<LoggedRequest[]> {
		return (await this.client.requests()).filter(({ path }) => path !== `${prefix}/Me`);
	}

	/** How often the plan was requested. */
	async questions(): Promise<number> {
		return (await this.client.requests()).filter(({ path }) => path === `${prefix}/Me`).length;
	}

	/** The accepted messages, in order. */
	async messages(): Promise<MessageRecord[]> {
		return (await this.client.state()).messages;
	}

	/** How often each text was accepted: more than once is a duplicate. */
	async accepted(): Promise<Record<string, number>> {
		return await acceptedTexts(this.client);
	}

	/** Waits until the sandbox has received this many calls. */
	async received(count: number): Promise<void> {
		await eventually(async () => (await this.calls()).length >= count, `${count} calls`);
	}

	/** Waits until the sandbox has answered this many calls (with a status) and the engine has received the answers. */
	async answered(count: number, wanted?: number): Promise<void> {
		const isAnswered = ({ status, inFlightMs }: LoggedRequest) =>
			inFlightMs !== null && (wanted === undefined ? status !== null : status === wanted);
		const isSo = async () => (await this.calls()).filter(isAnswered).length >= count;
		await eventually(isSo, `${count} answers`);
		await this.engine.takeTurns();
	}
}

/** Sets up a lab for a test file. */
export function useDeliveryLab(options: EngineOptions = {}): DeliveryLab {
	return setUp(new DeliveryLab(), options);
}

/** Items for `send`, each to a different recipient unless `recipients` limits them. */
export function letters(count: number, recipients = count): Array<{ to: string; text: string }> {
	return Array.from({ length: count }, (_, item) => ({
		to: `r${item % recipients}@example.com`,
		text: `text ${item}.`,
	}));
}

/** One message, and its key in `id`. */
export interface Order extends IDataObject {
	to: string;
	text: string;
	id: string;
}

/** Messages under keys that no other test uses. */
export function orders(count: number): Order[] {
	const day = randomUUID();
	return letters(count).map((letter, n) => ({ ...letter, id: `${day} ${n}` }));
}

/** Every text once. */
export function onceEach(items: ReadonlyArray<{ text: string }>): Record<string, number> {
	return Object.fromEntries(items.map(({ text }) => [text, 1]));
}

/** The text in a result or a logged send. */
export function textOf(holder: IDataObject | unknown): string | undefined {
	return (holder as { content?: { text?: string } } | null)?.content?.text;
}

/** How an item ended, and its input item. */
export function endOf(item: INodeExecutionData): { item: number; outcome: string } {
	const { pairedItem } = item;
	const index = typeof pairedItem === 'object' && !Array.isArray(pairedItem) ? pairedItem.item : -1;
	return { item: index, outcome: item.json['error'] === undefined ? 'done' : errorOf(item).outcome };
}

/** How the items of a run ended, by input item, from both outputs. */
export function endsOf(run: Run): string[] {
	const ends: string[] = [];
	const items = run.main.flat();
	// No output is a failure of n8n itself, as on a machine that is too busy, not what the test checks.
	if (items.length === 0) throw new Error(`Nothing came out: ${run.error?.message ?? run.status}`);
	for (const item of items) {
		const { item: index, outcome } = endOf(item);
		if (ends[index] !== undefined) throw new Error(`Item ${index} left twice`);
		ends[index] = outcome;
	}
	return ends;
}

/** Whether a request had ended when another one arrived. */
export function isOverBefore({ startedMs, inFlightMs }: LoggedRequest, other: LoggedRequest): boolean {
	return inFlightMs !== null && startedMs + inFlightMs <= other.startedMs;
}

/** The largest number of requests in flight at a time. */
export function mostInFlight(requests: readonly LoggedRequest[]): number {
	return Math.max(...requests.map(({ inFlight }) => inFlight), 0);
}
