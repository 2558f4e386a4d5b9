import type { IDataObject } from 'n8n-workflow';
import type { LoggedRequest } from '../../dev/sandbox/types.mts';
import { endsOf, letters, onceEach, textOf, useDeliveryLab } from './delivery-lab.mts';
import { errorOf, everyMode, type ExecuteOptions, type OnError } from './lab.mts';
import type { Run } from './run.mts';

const lab = useDeliveryLab();

const retrying = (onError: OnError): NonNullable<ExecuteOptions['settings']> => ({
	onError,
	retryOnFail: true,
	maxTries: 3,
	waitBetweenTries: 1,
});

/** The packageIds under which each text was sent. */
function packageIds(calls: LoggedRequest[]): Map<string, Set<string>> {
	const ids = new Map<string, Set<string>>();
	for (const { body } of calls) {
		const text = textOf(body) ?? '';
		ids.set(text, (ids.get(text) ?? new Set()).add((body as { packageId: string }).packageId));
	}
	return ids;
}

const numberOf = (calls: LoggedRequest[], text: string) =>
	calls.filter(({ body }) => textOf(body) === text).length;

/** What the node keeps in the execution. */
const kept = (run: Run) => run.context?.['unifiedMessaging'] as { items: IDataObject } | undefined;

/** The recipients and texts of the results, from both outputs. */
const results = (run: Run) =>
	run.main
		.flat()
		.flatMap(({ json }) => (json['error'] === undefined ? [textOf(json)] : []))
		.sort();

const bySize = (texts: string[]) => [...texts].sort();

describe.each(everyMode)('Retry On Fail, On Error %s', (onError) => {
	const items = letters(10);

	test('sends nothing twice, and ends well when the service recovers', async () => {
		await lab.client.setFaults([
			{ kind: 'status', status: 400, bodyContains: 'text 0.', times: 1 },
			{ kind: 'status', status: 400, bodyContains: 'text 6.', times: 1 },
		]);

		const run = await lab.execute(lab.send({ maxConcurrency: 3 }), { items, settings: retrying(onError) });

		expect(run.status).toBe('success');
		expect(endsOf(run)).toEqual(items.map(() => 'done'));
		expect(results(run)).toEqual(bySize(items.map(({ text }) => text)));
		expect(await lab.accepted()).toEqual(onceEach(items));
		const calls = await lab.calls();
		expect(calls).toHaveLength(12);
		for (const ids of packageIds(calls).values()) expect(ids.size).toBe(1);
		expect(run.json.map(({ packageId }) => packageId)).toEqual(
			items.map(({ text }) => [...(packageIds(calls).get(text) ?? [])][0]),
		);
		expect(run.hintTexts).toEqual([
			expect.stringMatching(/^Of 10 items: (?:\d+ sent, )?\d+ sent in an earlier try\./) as string,
		]);
		expect(kept(run)).toBeUndefined();
	});

	test('does not send again what may have been processed, and says so', async () => {
		const advice = /When Outcome Is Unknown/;
		await lab.client.setFaults([
			{ kind: 'lostResponse', bodyContains: 'text 0.', times: 1 },
			{ kind: 'status', status: 500, bodyContains: 'text 4.', times: 1 },
		]);

		const run = await lab.execute(lab.send({ maxConcurrency: 10 }), { items, settings: retrying(onError) });

		const accepted = await lab.accepted();
		expect(Math.max(...Object.values(accepted))).toBe(1);
		const calls = await lab.calls();
		expect(numberOf(calls, 'text 0.')).toBe(1);
		expect(numberOf(calls, 'text 4.')).toBe(1);
		// The rest is sent; in stop mode with the next try.
		expect(accepted).toEqual(onceEach(items.filter((_, n) => n !== 4)));
		if (onError === 'stopWorkflow') {
			expect(run.status).toBe('error');
			expect(run.error?.description).toMatch(advice);
			expect(run.error?.message).toMatch(/^8 of 10 sent, 2 may have been sent: /);
		} else {
			expect(endsOf(run)).toEqual(['unknown', 'done', 'done', 'done', 'unknown', ...Array(5).fill('done')]);
			const failed = run.main.flat().filter(({ json }) => json['error'] !== undefined);
			for (const item of failed) {
				expect(errorOf(item).description).toMatch(advice);
			}
		}
	});
});

describe('a failed execution, retried from the executions page', () => {
	const items = letters(10);

	async function failing(parameters = lab.send({ maxConcurrency: 2 })): Promise<Run> {
		await lab.client.setFaults([{ kind: 'status', status: 400, bodyContains: 'text 6.' }]);
		const failed = await lab.execute(parameters, { items });
		await lab.client.clearFaults();
		expect(failed.status).toBe('error');
		expect(Object.keys(await lab.accepted()).length).toBeGreaterThanOrEqual(6);
		return failed;
	}

	test('with the original workflow: only the rest is sent, and all results are there', async () => {
		const failed = await failing();
		const before = (await lab.messages()).length;

		const retried = await lab.engine.retry(failed);

		expect(retried.status).toBe('success');
		expect(await lab.accepted()).toEqual(onceEach(items));
		expect(retried.json.map(textOf)).toEqual(items.map(({ text }) => text));
		expect(retried.hintTexts).toEqual([
			`Of 10 items: ${10 - before} sent, ${before} sent in an earlier try.`,
		]);
		for (const ids of packageIds(await lab.calls()).values()) expect(ids.size).toBe(1);
		expect(kept(retried)).toBeUndefined();
	});
});

test('what is kept in the execution is no more than the results it must return, after a failure', async () => {
	await lab.client.setFaults([{ kind: 'status', status: 400, bodyContains: 'text 9.' }]);
	const items = letters(10).map((item) => ({ ...item, ballast: 'x'.repeat(20_000) }));
	const failed = await lab.execute(lab.send({ maxConcurrency: 1 }), { items });

	expect(Object.keys(kept(failed)?.items ?? {})).toHaveLength(9);
	const size = JSON.stringify(failed.context).length;
	const output = JSON.stringify((await lab.execute(lab.send(), { items: items.slice(0, 9) })).json).length;
	expect(size).toBeLessThan(output + 9 * 100 + 500);
});
