import { check } from '../../../dev/check/check.mts';
import { KEY, startOther } from './other-service.mts';

test('keeps to a small plan by waiting', async () => {
	// With more than the whole plan in one second, it would be refused.
	const me = { status: 200, body: { type: 'account', resourcePlan: { limit: 10, seconds: 1 } } };
	const other = await startOther({ 'GET /Me': me });
	const findings = await check({ url: other.url, key: KEY });
	await other.close();
	const times = other.arrived.map(({ at }) => at);
	const most = Math.max(...times.map((at) => times.filter((each) => each >= at && each < at + 1000).length));
	expect(most).toBeLessThanOrEqual(5);
	expect(findings.filter(({ verdict }) => verdict !== 'fits')).toEqual([]);
});

test('gives up on what gets no answer, and on the rest when the time is over', async () => {
	const silent = { status: 0, silent: 'wait' } as const;
	const names = ['Edit a message', 'Delete a message', 'Get an outbox entry'] as const;
	const other = await startOther(Object.fromEntries(names.map((name) => [name, silent])));
	const findings = await check({ url: other.url, key: KEY });
	await other.close();
	const untold = findings.filter(({ verdict }) => verdict === "can't be told");
	expect(untold.slice(0, 2).map(({ what, meaning }) => [what, meaning.slice(0, 9)])).toEqual([
		['Edit a message', 'No answer'],
		['Delete a message', 'No answer'],
	]);
	expect(untold.at(-1)).toMatchObject({
		what: 'Revoke an API key',
		meaning: expect.stringContaining('too slow') as string,
	});
});
