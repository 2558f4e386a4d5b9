import { parse, stringify } from 'flatted';
import type { IRunExecutionData } from 'n8n-workflow';
import { letters, orders, useDeliveryLab } from './delivery-lab.mts';
import { errorOf, everyMode } from './lab.mts';
import { Run } from './run.mts';

const lab = useDeliveryLab();

/** The questions that each person received, without the link. */
async function asked(): Promise<string[]> {
	return (await lab.messages()).map(({ text }) => (text ?? '').split('\n')[0] ?? '').sort();
}

/** When the execution stops waiting. */
const waitsUntil = (run: Run) => new Date(String(run.data.waitTill)).toISOString();

/** What the node saves about the questions. */
const kept = (run: Run) =>
	Object.values(
		(run.context?.['unifiedMessagingQuestions'] as { questions: Record<string, string> }).questions,
	).map((text) => JSON.parse(text) as { item: number });

describe.each(everyMode)('On Error %s', (onError) => {
	const settings = { onError };
	const items = letters(4);

	test('every item that can be asked is asked, and a hint names those that could not', async () => {
		await lab.client.setFaults([
			{ kind: 'status', status: 400, body: { title: 'Invalid address' }, bodyContains: 'text 0.' },
			{ kind: 'status', status: 400, body: { title: 'Invalid address' }, bodyContains: 'text 2.' },
		]);

		const run = await lab.execute(lab.ask({ maxConcurrency: 1 }), { items, settings });

		expect(run.status).toBe('waiting');
		// n8n answers the caller of a webhook with the first of them.
		expect(run.main).toEqual([items.map((json, item) => ({ json, pairedItem: { item } })), []]);
		expect(await asked()).toEqual(['text 1.', 'text 3.']);
		expect(kept(run).map(({ item }) => item)).toEqual([1, 3]);
		expect(run.hintTexts.join('\n')).toContain('The first answer counts.');
		expect(run.hintTexts.join('\n')).toMatch(
			/^Of 4 items: 2 sent, 2 refused\. Failed: items 0, 2\. .*Invalid address/,
		);
	});

	test('a question that may have arrived can be answered', async () => {
		await lab.client.setFaults([
			{ kind: 'lostResponse', bodyContains: 'text 1.' },
			{ kind: 'status', status: 400 },
		]);

		const run = await lab.execute(lab.ask({ maxTries: 1 }), { items, settings });

		expect(run.status).toBe('waiting');
		expect(await asked()).toEqual(['text 1.']);
		expect(run.hintTexts.join('\n')).toMatch(
			/^Of 4 items: 1 maybe sent, 3 refused\. Failed: items 0, 1, 2, 3\./,
		);
	});

	test.each([false, true])(
		'if no question could be asked, the node fails and does not wait; retried: %s',
		async (retryOnFail) => {
			await lab.client.setFaults([{ kind: 'status', status: 400, body: { title: 'Invalid address' } }]);

			const run = await lab.execute(lab.ask(), {
				items,
				settings: { ...settings, retryOnFail, waitBetweenTries: 1 },
			});

			expect(run.data.waitTill).toBeFalsy();
			if (onError === 'stopWorkflow') {
				expect(run.status).toBe('error');
				expect(run.error?.message).toContain('Invalid address');
			} else {
				expect(run.status).toBe('success');
				expect(run.main.flat().map((item) => errorOf(item).outcome)).toEqual(items.map(() => 'rejected'));
			}
		},
	);
});

test.each(everyMode)('two questions to one person: nobody is asked, On Error %s', async (onError) => {
	const people = ['boss@example.com', 'ada@example.com', 'boss@example.com'];
	const items = people.map((to, order) => ({ to, text: `Order ${order}?` }));
	const run = await lab.execute(lab.ask(), { items, settings: { onError } });
	expect(await lab.calls()).toEqual([]);
	const said = onError === 'stopWorkflow' ? [run.error] : run.main.flat().map((item) => errorOf(item));
	expect(said).toHaveLength(onError === 'stopWorkflow' ? 1 : 3);
	for (const error of said) {
		expect(error?.message).toContain('items 0 and 2 ask the same recipient');
		expect(error?.description).toContain('Loop Over Items');
	}
	// The same items would be refused again.
	if (onError !== 'stopWorkflow')
		expect(said).toEqual(said.map(() => expect.objectContaining({ retryable: false })));
});

test('a question that is refused: nobody is asked where the workflow stops, and else the others are', async () => {
	const items = [...letters(2), { to: '', text: '' }];
	const stopped = await lab.execute(lab.ask(), { items });
	expect(stopped.error?.message).toBe('1 of 3 items is refused, so nothing was sent');
	// While n8n waits, nothing would come out of the error output.
	expect(stopped.error?.description).not.toContain('On Error');
	expect(await asked()).toEqual([]);
	const settings = { onError: 'continueRegularOutput' } as const;
	expect((await lab.execute(lab.ask(), { items, settings })).status).toBe('waiting');
	expect(await asked()).toEqual(['text 0.', 'text 1.']);
});

test('a test by hand, of which something fails, is told in two boxes at most, the warnings first', async () => {
	const items = [...orders(2), { to: '', text: 'x', id: 'x' }];
	const settings = { onError: 'continueRegularOutput' } as const;
	const run = await lab.execute(lab.ask({ onceKey: '={{ $json.id }}' }), { items, settings, mode: 'manual' });
	expect(run.hints.map(({ type }) => type)).toEqual(['warning', 'info']);
	expect(run.hintTexts[0]).toMatch(/^Of 3 items: .*Only this machine can open the link/);
});

describe('an execution that is repeated after it has asked', () => {
	/** The same execution as if n8n had crashed before it could wait, with some items not sent yet. */
	function broken(run: Run, ...unsent: number[]): Run {
		const data = parse(run.saved) as IRunExecutionData;
		delete data.waitTill;
		delete data.resultData.runData['Messaging'];
		const { items } = data.executionData?.contextData['node:Messaging']?.['unifiedMessaging'] as {
			items: Record<string, unknown>;
		};
		const keys = Object.keys(items);
		for (const item of unsent) delete items[keys[item] ?? ''];
		return new Run(run.request, { ...run.report, saved: stringify(data) }, run.nodeName);
	}

	test('asks only the items that were not asked before, and earlier links no longer work', async () => {
		const run = await lab.execute(lab.ask({ maxConcurrency: 1 }), { items: letters(3) });

		const retried = await lab.engine.retry(broken(run, 1));

		expect(retried.status).toBe('waiting');
		expect(await asked()).toEqual(['text 0.', 'text 1.', 'text 1.', 'text 2.']);
		expect(kept(retried).map(({ item }) => item)).toEqual([1]);
		expect(retried.hintTexts.join('\n')).toMatch(/Failed: items 0, 2\..*an earlier try/);
	});
});

test('with several questions, it waits until the last time limit, in the time zone of the workflow', async () => {
	const items = [2040, 2041, 2039].map((year, item) => ({ ...letters(3)[item], year }));
	const values = { limitType: 'atSpecifiedTime', maxDateAndTime: '={{ $json.year }}-07-01T12:00:00' };
	const run = await lab.execute(lab.ask({ limitWaitTime: { values } }), { items, timezone: 'Europe/Vienna' });
	expect(waitsUntil(run)).toBe('2041-07-01T10:00:00.000Z');
});

test('an approval of earlier is not in what is passed on if nobody answers, but still in the output of the node before', async () => {
	const [letter] = letters(1);
	const data = { approved: true, respondedAt: '2030-01-01T00:00:00Z' };
	const run = await lab.execute(lab.ask(), { items: [{ ...letter, data, approved: true, order: 1042 }] });
	// As n8n continues an execution whose time limit has passed.
	const continued = await lab.engine.retry(run);
	expect(continued.status).toBe('success');
	expect(continued.json).toEqual([{ ...letter, order: 1042 }]);
	expect(continued.output('Start')[0]?.json).toMatchObject({ data, approved: true });
});

test('a question asked by an earlier execution is not asked again under the same once key', async () => {
	const items = orders(2);
	const keyed = lab.ask({ onceKey: '={{ $json.id }}' });
	expect((await lab.execute(keyed, { items })).status).toBe('waiting');

	const second = await lab.execute(keyed, { items });

	expect(second.status).toBe('success');
	expect(second.json).toEqual(
		items.map(({ id }) => expect.objectContaining({ alreadySent: true, onceKey: id }) as unknown),
	);
	expect(await asked()).toEqual(['text 0.', 'text 1.']);
});

test('a question is not asked when its time is over', async () => {
	const headers = { 'retry-after': '3' };
	await lab.client.setFaults([{ kind: 'status', status: 429, headers, method: 'POST', times: 1 }]);
	const values = { limitType: 'afterTimeInterval', resumeAmount: 0.02, resumeUnit: 'minutes' };
	const run = await lab.execute(lab.ask({ limitWaitTime: { values } }), {
		items: letters(1),
		settings: { onError: 'continueRegularOutput' },
	});
	expect(errorOf(run.main[0][0])).toMatchObject({ statusCode: 429 });
	expect(await asked()).toEqual([]);
});

test('a question whose time is over when its turn comes is not asked', async () => {
	const values = { limitType: 'atSpecifiedTime', maxDateAndTime: new Date(Date.now() + 4000).toISOString() };
	await lab.execute(lab.ask({ limitWaitTime: { values }, pauseBetween: 5 }), { items: letters(2) });
	expect(await asked()).toEqual(['text 0.']);
});
