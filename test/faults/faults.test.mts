/** Checks every outcome against what the failing service really received. */
import { anyUuid, ids } from '../cases/values.mts';
import type { Known, Place } from '../service/faults.mts';
import { cells, maxTries, playMatrix, triesOf, type Cell, type Played } from './matrix.mts';

let played: Played;

beforeAll(async () => {
	played = await playMatrix();
}, 600_000);

/** The outcome that the user sees for an ending, for reading and for other calls. */
const outcomes: Readonly<Record<Known, [reading: string, changing: string]>> = {
	done: ['done', 'done'],
	'done later': ['done', 'done'],
	unsent: ['unsent', 'unsent'],
	rejected: ['rejected', 'rejected'],
	'unsent: later': ['unsent', 'unsent'],
	'rejected: always later': ['rejected', 'rejected'],
	unknown: ['unknown', 'unknown'],
	'unknown, one try': ['unknown', 'unknown'],
	foreign: ['rejected', 'unknown'],
	unreadable: ['rejected', 'done'],
	large: ['done', 'unknown'],
};

const isOnce = ({ call }: Cell) => call.method === 'POST';
const isReading = ({ call }: Cell) => call.method === 'GET';

/** How many requests arrive during the fault; undefined where that depends on timing or can't be counted. */
function requestsOf(cell: Cell): number | undefined {
	const { known, place, truth } = cell.fault;
	if (truth === 'unseen' || place === 'reset on request') return 0;
	if (known === 'rejected: always later') return undefined;
	if (known === 'done later') return 2;
	const isTriedAgain = known === 'unknown' || (known === 'large' && !isReading(cell));
	return isTriedAgain && !isOnce(cell) ? maxTries : 1;
}

const titled = cells.map(
	(cell) =>
		[
			`${cell.fault.group}: ${cell.fault.title}: ${cell.id}${cell.isOnce ? ' with a once key' : ''}`,
			cell,
		] as const,
);

test.each(titled)('%s', (_title, cell) => {
	const { fault, call, key } = cell;
	const { arrived, outcome, message, description, retried, cameAgain, saved } = played.met.get(cell)!;
	const all = [...arrived, ...(retried?.arrived ?? []), ...(cameAgain?.arrived ?? [])];

	// Truth: what was done is never shown as not done, and what was refused or never arrived is known as such.
	const { truth } = fault;
	if (!isReading(cell)) {
		if (truth === 'taken' || truth === 'unclear') expect(['done', 'unknown']).toContain(outcome);
		if (truth === 'refused') expect(['done', 'rejected', 'unsent']).toContain(outcome);
	}
	if (truth === 'unseen') expect(outcome).toBe('unsent');
	if (outcome === 'done') expect(['taken', 'refused']).toContain(truth);
	expect(outcome).toBe(outcomes[fault.known][isReading(cell) ? 0 : 1]);

	// Requests: the same call each time, with the key, as often as allowed.
	const expected = requestsOf(cell);
	if (expected === undefined) expect(arrived.length).toBeGreaterThan(1);
	else expect(arrived).toHaveLength(expected);
	const packageId = { packageId: anyUuid() };
	const body =
		call.body !== undefined && 'packageId' in call.body && call.body.packageId === ids.call
			? { ...call.body, ...packageId }
			: call.body;
	for (const request of all) {
		expect(request).toMatchObject({ method: call.method, body });
		expect(request.path).toBe(call.path);
		expect(request.body).toEqual(all[0]?.body);
	}
	for (const request of arrived) expect(request.key).toBe(key);

	// Retry: only what may have been done and must not be done twice is not sent again.
	if (outcome === 'done') expect(retried).toBeUndefined();
	else if (outcome === 'unknown' && isOnce(cell)) {
		expect(retried).toMatchObject({ arrived: [], outcome: 'unknown' });
	} else expect(retried).toMatchObject({ arrived: [{ method: call.method }], outcome: 'done' });

	// With a once key, the same event delivered again sends nothing that was or may have been sent.
	if (cell.isOnce) {
		const isKnown = outcome !== 'unknown';
		expect(cameAgain).toMatchObject({ arrived: [], outcome: isKnown ? 'alreadySent' : 'unknown' });
	}

	// The error that the user sees.
	if (outcome !== 'done') {
		expect(message).not.toBe('');
		expect(description).not.toBe('');
		expect(message + description).not.toMatch(/<|undefined|\[object/);
	}
	if (outcome === 'unknown' && isOnce(cell)) expect(description).toMatch(/Look at the service/);
	for (const text of [saved, retried?.saved, cameAgain?.saved]) expect(text ?? '').not.toContain(key);
});

test('no request follows a redirect', () => {
	expect(played.strays).toEqual([]);
});

const cellsAt = (place: Place) => cells.filter(({ fault }) => fault.place === place);

test.each<Place>(['tls closed', 'tls silent'])('%s: tried as often as it may be', (place) => {
	// Before what changes something, GET /Me is asked once.
	const tries = cellsAt(place).map((cell) => triesOf(cell) + (isReading(cell) ? 0 : 1));
	expect(played.places.connectionsTo(place)).toBe(tries.reduce((sum, each) => sum + each, 0));
});

test('reset on request: GET /Me is tried before anything is sent again, until Max Wait is over', () => {
	const again = cellsAt('reset on request').filter((cell) => triesOf(cell) > 1);
	expect(played.places.connectionsTo('reset on request')).toBeGreaterThan(
		cellsAt('reset on request').length + again.length,
	);
});
