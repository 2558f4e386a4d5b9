/** Each operation against each fault: one execution that meets it, and its retry when nothing is wrong any more. */
import type { ApiCall } from '../../nodes/Messaging/service/api-call.ts';
import { cases, operationIds, unaskedParameters, type OperationId } from '../cases/index.ts';
import type { Engine } from '../engine/engine.ts';
import { eventually } from '../engine/eventually.ts';
import type { Run } from '../engine/run.ts';
import { faults, type Fault } from './faults.ts';
import type { Arrived, Guest, Stage } from './stage.ts';
import { hour } from './time.ts';

/** How often each call is tried at most, where it may be. */
export const maxTries = 2;

/** What lasts is up when the time jumps; nothing else comes near its time. */
const timeoutSeconds = { lasting: (0.9 * hour) / 1000, other: 120 };
const maxWaitSeconds = 3;
const atOnce = 48;

/** One operation that meets one fault. */
export interface Cell {
	readonly id: OperationId;
	readonly fault: Fault;
	readonly call: ApiCall;
	readonly key: string;
}

/** What became of it. */
export interface Met {
	/** What arrived while the fault was there. */
	readonly arrived: readonly Arrived[];
	/** 'done', or the outcome of the failure. */
	readonly outcome: string;
	/** What the user reads; '' for a success. */
	readonly message: string;
	readonly description: string;
	/** Of a failure: what arrived when the execution was retried, and how that ended. */
	readonly retried: { readonly arrived: readonly Arrived[]; readonly outcome: string } | undefined;
	/** All that n8n saved, to search for what must not be in it. */
	readonly saved: string;
}

/** An operation that waits sends as Send does: when it waits and when it fails, `test/engine/delivery-questions.test.ts` holds. */
const ending = operationIds.filter((id) => !cases[id].traits.includes('waits'));

/** All cells. */
export const cells: readonly Cell[] = faults.flatMap((fault, row) =>
	ending.map((id, column) => {
		const { least, most, traits } = cases[id];
		const { call } = traits.includes('asks first') ? most : least;
		return { id, fault, call, key: `acc_cell_${String(row * 100 + column).padStart(8, '0')}` };
	}),
);

/** Lets all cells happen, many at a time. */
export async function play(stage: Stage, engine: Engine): Promise<Map<Cell, Met>> {
	const met = new Map<Cell, Met>();
	const lasting = cells.filter(({ fault }) => fault.lasts);
	const held = lasting.map(async (cell) => met.set(cell, await meet(stage, engine, cell)));
	const inAll = lasting.map(triesOf).reduce((sum, tries) => sum + tries, 0);
	for (const tries of [lasting.length, inAll]) {
		await eventually(async () => stage.held >= tries, `${tries} that wait`);
		stage.jump();
	}
	await Promise.all(held);

	const waiting = cells.filter(({ fault }) => !fault.lasts);
	const next = async (): Promise<void> => {
		for (let cell = waiting.shift(); cell !== undefined; cell = waiting.shift()) {
			met.set(cell, await meet(stage, engine, cell));
		}
	};
	await Promise.all(Array.from({ length: atOnce }, next));
	// In the order of the matrix, whoever came back first.
	return new Map(cells.flatMap((cell) => (met.has(cell) ? [[cell, met.get(cell)!] as const] : [])));
}

/** How often a call is tried that fails each time, without an answer. */
export function triesOf({ fault, call }: Cell): number {
	return fault.truth === 'unseen' || call.method !== 'POST' ? maxTries : 1;
}

async function meet(stage: Stage, engine: Engine, { id, fault, key }: Cell): Promise<Met> {
	const guest: Guest = {
		left: fault.times,
		spoil: fault.spoil,
		lasts: fault.lasts,
		fine: cases[id].reply.list ? '[]' : '{}',
		arrived: [],
	};
	stage.welcome(key, guest);
	const options = {
		timeout: fault.lasts ? timeoutSeconds.lasting : timeoutSeconds.other,
		maxTries,
		maxWait: maxWaitSeconds,
		keepToPlan: false,
	};
	const more = { ...(unaskedParameters(id)['options'] as object | undefined), ...options };
	const run = await engine.run({
		credential: { baseUrl: stage.urlOf(fault.place, key), apiKey: key },
		node: { parameters: unaskedParameters(id, { options: more }) },
	});
	const arrived = guest.arrived.splice(0);
	const { error } = run;
	if (run.status === 'success') {
		return { arrived, outcome: 'done', message: '', description: '', retried: undefined, saved: run.saved };
	}
	guest.left = 0;
	const retry = await engine.retry(run, {
		// Another key: the pause that the service has asked for is not what is looked at here.
		credential: { baseUrl: stage.urlOf('http', key), apiKey: `${key}_again` },
	});
	return {
		arrived,
		outcome: outcomeOf(run),
		message: error?.message ?? '',
		description: error?.description ?? '',
		retried: { arrived: guest.arrived, outcome: outcomeOf(retry) },
		saved: run.saved + retry.saved,
	};
}

function outcomeOf({ status, error }: Run): string {
	return status === 'success'
		? 'done'
		: String(error?.context?.['outcome'] ?? `${status} without an outcome`);
}
