import { PlanQuestion } from '../../../../nodes/Messaging/delivery/pace/plan-question.ts';

const MINUTE = 60_000;

test('it is asked by one at a time', () => {
	const question = new PlanQuestion();
	expect([question.isDue(0), question.isOpen]).toEqual([true, false]);
	question.begin(0, 0);
	expect([question.isDue(MINUTE), question.isOpen]).toEqual([false, true]);
});

test('an answer counts for ten minutes', () => {
	const question = new PlanQuestion();
	question.begin(0, 0);
	question.answered(5);
	expect([question.isDue(10 * MINUTE), question.isDue(10 * MINUTE + 5)]).toEqual([false, true]);
});

test.each([
	['a minute', 0, MINUTE],
	['as long as the service asks for, where that is longer', 3 * MINUTE, 3 * MINUTE],
	['ten minutes at most, however long the service asks for', Infinity, 10 * MINUTE],
	['no time, when the run that asked was stopped', undefined, 0],
])('without an answer it waits for %s', (_howLong, waitMs, due) => {
	const question = new PlanQuestion();
	question.begin(0, 0);
	question.failed(0, waitMs);
	expect([question.isOpen, question.isDue(due - 1), question.isDue(due)]).toEqual([false, due === 0, true]);
});

test('four requests may leave meanwhile, those under way counted, and the rest two seconds later', () => {
	const question = new PlanQuestion();
	question.begin(100, 2);
	question.letOneBy();
	expect(question.opensAt(200)).toBe(200);
	question.letOneBy();
	expect(question.opensAt(200)).toBe(2100);
	expect(question.opensAt(2200)).toBe(2200);
});

test('when nobody asks, nobody waits', () => {
	const question = new PlanQuestion();
	for (let n = 0; n < 10; n++) question.letOneBy();
	expect(question.opensAt(0)).toBe(0);
});

test('turned away for years, it comes back after ten minutes: nobody keeps to a plan meanwhile', () => {
	const question = new PlanQuestion();
	question.begin(0, 0);
	question.turnedAway(0, 1e12);
	expect([question.isDue(10 * MINUTE - 1), question.isDue(10 * MINUTE)]).toEqual([false, true]);
});

test('turned away, it comes back soon, but less and less often, and not before it was asked to', () => {
	const question = new PlanQuestion();
	const waits: number[] = [];
	let now = 0;
	for (const waitMs of [0, 0, 0, 0, 0, 20_000]) {
		question.begin(now, 0);
		question.turnedAway(now, waitMs);
		let due = now;
		while (!question.isDue(due)) due += 1000;
		waits.push(due - now);
		now = due;
	}
	expect(waits).toEqual([1000, 2000, 4000, 8000, 8000, 20_000]);
	expect(question.isOpen).toBe(false);
});
