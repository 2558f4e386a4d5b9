/** Operations against faults: one execution with the fault, and its retry without. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { asText } from '../../dev/harness/as-text.mts';
import type { ApiCall } from '../../nodes/Messaging/service/api-call.ts';
import { cases, unaskedParameters, type OperationId } from '../cases/index.mts';
import type { Ending, Exchange } from '../../dev/sandbox/service.mts';
import { startEngine, type Engine } from '../engine/engine.mts';
import type { Run } from '../engine/run.mts';
import { answer, FAULTS, json, type Fault } from '../service/faults.mts';
import { FaultyService, type Party } from '../service/faulty-service.mts';
import { Places } from './places.mts';

/** The most tries of a call that may be repeated. */
export const maxTries = 2;

/** Lasting faults end with it; others end long before. */
const timeoutSeconds = { lasting: 8, other: 120 };
/** Short where the service asks for a pause, so that the wait ends; others end long before. */
const maxWaitSeconds = { later: 3, other: 120 };
const atOnce = 48;

/** A request that arrived completely. */
interface Arrived {
	readonly method: string;
	readonly path: string;
	readonly key: string;
	readonly body: unknown;
}

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
const withOnceKey = FAULTS.filter(
	({ group, known }, n) => n === FAULTS.findIndex((other) => other.group === group && other.known === known),
);

const cellOf = (id: OperationId, fault: Fault, number: number, isOnce: boolean): Cell => {
	const { least, most, traits } = cases[id];
	const { call } = traits.includes('asks first') ? most : least;
	return { id, fault, call, isOnce, key: `acc_cell_${String(number).padStart(8, '0')}` };
};

export const cells: readonly Cell[] = FAULTS.flatMap((fault, row) => [
	...ending.map((id, column) => cellOf(id, fault, row * 100 + column, false)),
	...(withOnceKey.includes(fault) ? [cellOf('message.send', fault, row * 100 + 99, true)] : []),
]);

/** A cell as the service sees it. */
class Guest implements Party {
	/** Each key has pauses of its own: one asked for under the first does not delay what comes after the fault. */
	readonly keys: readonly [withFault: string, without: string];
	readonly #fault: Fault;
	readonly #fine: string;
	/** How many more requests the fault affects. */
	#left: number;
	#arrived: Arrived[] = [];

	constructor({ fault, id, key }: Cell) {
		this.keys = [key, `${key}_again`];
		this.#fault = fault;
		this.#left = fault.times;
		this.#fine = cases[id].reply.list ? '[]' : '{}';
	}

	/** The requests that have arrived since this was last asked. */
	arrived(): Arrived[] {
		const arrived = this.#arrived;
		this.#arrived = [];
		return arrived;
	}

	endFault(): void {
		this.#left = 0;
	}

	me() {
		return answer(200, '{}', json);
	}

	meet({ call: { body, headers, method, path } }: Exchange): Ending {
		this.#arrived.push({ method, path, key: String(headers['x-api-key']), body });
		return this.#left-- > 0 ? this.#fault.ending : answer(200, this.#fine, json);
	}

	broke(): void {}
}

/** All that a run of the matrix has shown. */
export interface Played {
	readonly met: ReadonlyMap<Cell, Met>;
	readonly places: Places;
	/** Requests that belong to no cell: they followed a redirect. */
	readonly strays: readonly string[];
}

/** Plays all cells in n8n's engine, and says how each ended. */
export async function playMatrix(): Promise<Played> {
	const service = new FaultyService();
	const places = await Places.open(service);
	const folder = await mkdtemp(join(tmpdir(), 'messaging-faults-'));
	const file = join(folder, 'certificate.pem');
	await writeFile(file, places.certificate);
	const engine = await startEngine({
		// No parameter here is an expression, and the newer engine would create an isolate for each execution.
		expressions: 'legacy',
		env: { NODE_EXTRA_CA_CERTS: file },
	});
	try {
		const met = await playAll(async (cell) => await meet(service, places, engine, cell));
		return { met, places, strays: service.strays };
	} finally {
		await engine.stop();
		await places.close();
		await rm(folder, { recursive: true, force: true });
	}
}

/** Plays all cells, many at a time. */
async function playAll(play: (cell: Cell) => Promise<Met>): Promise<ReadonlyMap<Cell, Met>> {
	const met = new Map<Cell, Met>();
	const lasting = cells.filter(({ fault }) => fault.lasts);
	const waiting = cells.filter(({ fault }) => !fault.lasts);
	const meetAll = async (some: Cell[]): Promise<void> => {
		for (let cell = some.shift(); cell !== undefined; cell = some.shift()) met.set(cell, await play(cell));
	};
	const others = Array.from({ length: atOnce }, async () => await meetAll(waiting));
	await Promise.all([...lasting.map(async (cell) => await meetAll([cell])), ...others]);
	return met;
}

/** The number of tries of a call that gets no answer each time. */
export function triesOf({ fault, call }: Cell): number {
	return fault.truth === 'unseen' || call.method !== 'POST' ? maxTries : 1;
}

async function meet(service: FaultyService, places: Places, engine: Engine, cell: Cell) {
	const { fault, id, isOnce, key } = cell;
	const guest = new Guest(cell);
	service.open(guest);
	/** The requests that arrived in a run, and how it ended. */
	const ended = (run: Run) => ({ arrived: guest.arrived(), outcome: outcomeOf(run), saved: run.saved });
	const options = {
		timeout: fault.lasts ? timeoutSeconds.lasting : timeoutSeconds.other,
		maxTries,
		maxWait: fault.known.includes('later') ? maxWaitSeconds.later : maxWaitSeconds.other,
		keepToPlan: false,
		...(isOnce ? { onceKey: `order ${key.slice(-8)}` } : {}),
	};
	const more = { ...(unaskedParameters(id)['options'] as object | undefined), ...options };
	const node = { parameters: unaskedParameters(id, { options: more }) };
	const run = await engine.run({ credential: { baseUrl: places.urlOf(fault.place), apiKey: key }, node });
	const { message, description } = run.error ?? { message: '' };
	const first = { ...ended(run), message, description: description ?? '' };
	guest.endFault();
	const credential = { baseUrl: places.urlOf('http'), apiKey: guest.keys[1] };
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
