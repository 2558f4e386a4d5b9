/** Operations against faults: one execution with the fault, and its retry without. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { asText } from '../../dev/harness/as-text.mts';
import type { ApiCall } from '../../nodes/Messaging/service/api-call.ts';
import { cases, unaskedParameters, type OperationId } from '../cases/index.mts';
import { startEngine, type Engine } from '../engine/engine.mts';
import type { Run } from '../engine/run.mts';
import { faults, type Fault } from './faults.mts';
import type { Guest, Stage } from './stage.mts';

/** The most tries of a call that may be repeated. */
export const maxTries = 2;

/** Lasting faults end with it; others end long before. */
const timeoutSeconds = { lasting: 8, other: 120 };
/** Short where the service asks for a pause, so that the wait ends; others end long before. */
const maxWaitSeconds = { later: 3, other: 120 };
const atOnce = 48;

/** One operation with one fault. */
export interface Cell {
	readonly id: OperationId;
	readonly fault: Fault;
	readonly call: ApiCall;
	readonly key: string;
	/** Whether its message has a once key, and its event is delivered again. */
	readonly isOnce: boolean;
}

/** The outcome of a cell. */
export type Met = Awaited<ReturnType<typeof meet>>;

/**
 * One operation of each kind. The effect of a fault depends on the call's method, and on whether it takes entries of
 * several items; every other operation is delivered like one of these.
 */
const ending = [
	'message.send',
	'outbox.requeue',
	'message.edit',
	'channel.getAll',
] as const satisfies OperationId[];

/** With a once key only the kind of fault matters: the first of each group for each ending. */
const withOnceKey = faults.filter(
	({ group, ends }, n) => n === faults.findIndex((other) => other.group === group && other.ends === ends),
);

const cellOf = (id: OperationId, fault: Fault, number: number, isOnce: boolean): Cell => {
	const { least, most, traits } = cases[id];
	const { call } = traits.includes('asks first') ? most : least;
	return { id, fault, call, isOnce, key: `acc_cell_${String(number).padStart(8, '0')}` };
};

export const cells: readonly Cell[] = faults.flatMap((fault, row) => [
	...ending.map((id, column) => cellOf(id, fault, row * 100 + column, false)),
	...(withOnceKey.includes(fault) ? [cellOf('message.send', fault, row * 100 + 99, true)] : []),
]);

/** Starts the stage and n8n's engine, plays all cells, and says how each ended. The caller stops the stage. */
export async function playMatrix(stage: Stage): Promise<ReadonlyMap<Cell, Met>> {
	await stage.start();
	const folder = await mkdtemp(join(tmpdir(), 'messaging-faults-'));
	const file = join(folder, 'certificate.pem');
	await writeFile(file, stage.certificate);
	const engine = await startEngine({
		// No parameter here is an expression, and the newer engine would create an isolate for each execution.
		expressions: 'legacy',
		env: { NODE_EXTRA_CA_CERTS: file },
	});
	try {
		return await playAll(stage, engine);
	} finally {
		await engine.stop();
		await rm(folder, { recursive: true, force: true });
	}
}

/** Plays all cells, many at a time. */
async function playAll(stage: Stage, engine: Engine): Promise<ReadonlyMap<Cell, Met>> {
	const met = new Map<Cell, Met>();
	const lasting = cells.filter(({ fault }) => fault.lasts);
	const waiting = cells.filter(({ fault }) => !fault.lasts);
	const meetAll = async (some: Cell[]): Promise<void> => {
		for (let cell = some.shift(); cell !== undefined; cell = some.shift()) {
			met.set(cell, await meet(stage, engine, cell));
		}
	};
	const others = Array.from({ length: atOnce }, async () => await meetAll(waiting));
	await Promise.all([...lasting.map(async (cell) => await meetAll([cell])), ...others]);
	return met;
}

/** The number of tries of a call that gets no answer each time. */
export function triesOf({ fault, call }: Cell): number {
	return fault.truth === 'unseen' || call.method !== 'POST' ? maxTries : 1;
}

async function meet(stage: Stage, engine: Engine, { id, fault, key, isOnce }: Cell) {
	const fine = cases[id].reply.list ? '[]' : '{}';
	const guest: Guest = { left: fault.times, spoil: fault.spoil, fine, arrived: [] };
	stage.welcome(key, guest);
	/** The requests that arrived in a run, and how it ended. */
	const ended = (run: Run) => ({
		arrived: guest.arrived.splice(0),
		outcome: outcomeOf(run),
		saved: run.saved,
	});
	const options = {
		timeout: fault.lasts ? timeoutSeconds.lasting : timeoutSeconds.other,
		maxTries,
		maxWait: fault.ends.includes('later') ? maxWaitSeconds.later : maxWaitSeconds.other,
		keepToPlan: false,
		...(isOnce ? { onceKey: `order ${key.slice(-8)}` } : {}),
	};
	const more = { ...(unaskedParameters(id)['options'] as object | undefined), ...options };
	const node = { parameters: unaskedParameters(id, { options: more }) };
	const run = await engine.run({
		credential: { baseUrl: stage.urlOf(fault.place, key), apiKey: key },
		node,
	});
	const { message, description } = run.error ?? { message: '' };
	const first = { ...ended(run), message, description: description ?? '' };
	guest.left = 0;
	// Another API key, so that a pause asked for under the first one does not delay this.
	const credential = { baseUrl: stage.urlOf('http', key), apiKey: `${key}_again` };
	/** After a failure: the execution is retried without the fault. */
	const retried = run.status === 'success' ? undefined : ended(await engine.retry(run, { credential }));
	/** With a once key: the event is delivered again. */
	const cameAgain = isOnce ? ended(await engine.run({ credential, node })) : undefined;
	return { ...first, retried, cameAgain };
}

/** 'done', 'alreadySent' or the outcome of the failure. */
function outcomeOf({ status, error, json }: Run): string {
	if (status === 'success') return json[0]?.['alreadySent'] === true ? 'alreadySent' : 'done';
	return asText(error?.context?.['outcome'] ?? `${status} without an outcome`);
}
