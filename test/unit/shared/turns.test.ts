import { fork } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { giveTurns, takeTurn } from '../../e2e/turns.ts';

/** Tests take turns on the end-to-end stage. */

let end = (): void => {};

beforeEach(async () => {
	end = await giveTurns();
});

afterEach(() => end());

test('one after the other, in the order in which they came', async () => {
	const order: string[] = [];
	const first = await takeTurn();
	const others = ['second', 'third'].map(async (name) => {
		const endTurn = await takeTurn();
		order.push(name);
		await sleep(20);
		order.push(`${name} has ended`);
		endTurn();
	});
	await sleep(50);
	expect(order).toEqual([]);
	first();
	await Promise.all(others);
	expect(order).toEqual(['second', 'second has ended', 'third', 'third has ended']);
});

test('a process that dies leaves its turn to the next', async () => {
	const child = fork(join(process.cwd(), 'test/unit/taking-a-turn.mjs'), { env: process.env });
	await new Promise((resolve) => child.once('message', resolve));
	const next = takeTurn();
	expect(await Promise.race([next, sleep(50, 'waits')])).toBe('waits');
	child.kill('SIGKILL');
	(await next)();
});

test('who waits is told when nobody gives turns any more', async () => {
	await takeTurn();
	const waiting = takeTurn();
	await sleep(50);
	end();
	await expect(waiting).rejects.toThrow('Nobody gives turns');
});
