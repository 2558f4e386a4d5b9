/** What the tests of delivery stand on: the lab, which counts messages and calls. */
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import type { LoggedRequest, MessageRecord, SandboxState } from '../../dev/sandbox/types.ts';
import type { EngineOptions, RunHandle } from './engine.ts';
import { eventually } from './eventually.ts';
import { byId, errorOf, useLab, type ExecuteOptions, type Lab } from './lab.ts';
import type { Run } from './run.ts';
import type { MessagingCredential } from './workflow.ts';

/** Where the API's message endpoints are. */
const prefix = '/api/v1';

/** A lab whose key's plan is kept to. */
export class DeliveryLab {
	readonly lab: Lab;

	constructor(lab: Lab) {
		this.lab = lab;
	}

	get client(): Lab['client'] {
		return this.lab.client;
	}

	get credential(): MessagingCredential {
		return this.lab.credential;
	}

	/** The sandbox's state as it was before the test. */
	get state(): SandboxState {
		return this.lab.state;
	}

	channel(name = 'Support E-mail'): SandboxState['channels'][number] {
		const channel = this.state.channels.find((candidate) => candidate.name === name);
		if (channel === undefined) throw new Error(`The sandbox has no "${name}"`);
		return channel;
	}

	/** Sends `text` to `to` of each item; both are expressions. */
	send(options: INodeParameters = {}, change: INodeParameters = {}): INodeParameters {
		return {
			resource: 'message',
			operation: 'send',
			channelId: byId(this.channel().channelId),
			toEmail: '={{ $json.to }}',
			text: '={{ $json.text }}',
			options,
			...change,
		};
	}

	async execute(parameters: INodeParameters, options: ExecuteOptions = {}): Promise<Run> {
		return await this.start(parameters, options).finished;
	}

	/** Starts an execution that can be stopped. */
	start(parameters: INodeParameters, options: ExecuteOptions = {}): RunHandle {
		const { items, settings, ...rest } = options;
		return this.lab.engine.start({
			credential: this.credential,
			...rest,
			...(items === undefined ? {} : { items: items.map((json) => ({ json })) }),
			node: { parameters, ...settings },
		});
	}

	/** What the sandbox received, but for the question for the plan. */
	async calls(): Promise<LoggedRequest[]> {
		return (await this.client.requests()).filter(({ path }) => path !== `${prefix}/Me`);
	}

	/** How often the plan was asked for. */
	async questions(): Promise<number> {
		return (await this.client.requests()).filter(({ path }) => path === `${prefix}/Me`).length;
	}

	/** The messages that were accepted, in the order of their acceptance. */
	async messages(): Promise<MessageRecord[]> {
		return (await this.client.state()).messages;
	}

	/** How often each text was accepted. */
	async accepted(): Promise<Record<string, number>> {
		const counts: Record<string, number> = {};
		for (const { text } of await this.messages()) counts[text ?? ''] = (counts[text ?? ''] ?? 0) + 1;
		return counts;
	}

	/** Waits until the sandbox has received this many calls. */
	async received(count: number): Promise<void> {
		await eventually(async () => (await this.calls()).length >= count, `${count} calls`);
	}

	/** Waits until the sandbox has answered this many calls (with a status), and the engine has seen the answers. */
	async answered(count: number, wanted?: number): Promise<void> {
		const isAnswered = ({ status, inFlightMs }: LoggedRequest) =>
			inFlightMs !== null && (wanted === undefined ? status !== null : status === wanted);
		const isSo = async () => (await this.calls()).filter(isAnswered).length >= count;
		await eventually(isSo, `${count} answers`);
		await this.lab.engine.takeTurns();
	}

	/** Waits until nothing is under way, and the engine has seen all answers. */
	async quiet(): Promise<void> {
		await eventually(async () => {
			const before = await this.calls();
			if (before.some(({ inFlightMs }) => inFlightMs === null)) return false;
			await this.lab.engine.takeTurns();
			return (await this.calls()).length === before.length;
		}, 'a pause');
	}
}

/** Prepares a lab for the tests of a file. */
export function useDeliveryLab(options: EngineOptions = {}): DeliveryLab {
	return new DeliveryLab(useLab(options));
}

/** Items for `send`: each to a recipient of its own, unless they are to share some. */
export function letters(count: number, recipients = count): Array<{ to: string; text: string }> {
	return Array.from({ length: count }, (_, item) => ({
		to: `r${item % recipients}@example.com`,
		text: `text ${item}.`,
	}));
}

/** Every text once. */
export function onceEach(items: ReadonlyArray<{ text: string }>): Record<string, number> {
	return Object.fromEntries(items.map(({ text }) => [text, 1]));
}

/** The text that a result or a logged send carries. */
export function textOf(holder: IDataObject | unknown): string | undefined {
	return (holder as { content?: { text?: string } } | null)?.content?.text;
}

/** How an item ended, and for which input item. */
export function endOf(item: INodeExecutionData): { item: number; outcome: string } {
	const { pairedItem } = item;
	const index = typeof pairedItem === 'object' && !Array.isArray(pairedItem) ? pairedItem.item : -1;
	return { item: index, outcome: item.json['error'] === undefined ? 'done' : errorOf(item).outcome };
}

/** How the items of a run ended, by input item, whichever way they left. */
export function endsOf(run: Run): string[] {
	const ends: string[] = [];
	const items = run.main.flat();
	// What n8n itself makes of a machine that is too busy is not what the test asks about.
	if (items.length === 0) throw new Error(`Nothing came out: ${run.error?.message ?? run.status}`);
	for (const item of items) {
		const { item: index, outcome } = endOf(item);
		if (ends[index] !== undefined) throw new Error(`Item ${index} left twice`);
		ends[index] = outcome;
	}
	return ends;
}

/** Whether a request was over when another one arrived. */
export function isOverBefore({ startedMs, inFlightMs }: LoggedRequest, other: LoggedRequest): boolean {
	return inFlightMs !== null && startedMs + inFlightMs <= other.startedMs;
}

/** The largest number of requests that were open at a time. */
export function mostInFlight(requests: readonly LoggedRequest[]): number {
	return Math.max(...requests.map(({ inFlight }) => inFlight), 0);
}
