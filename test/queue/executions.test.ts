import type { Execution, ExecutionSummary } from '../../dev/harness/n8n/api.ts';
import { names } from '../../dev/harness/workflows.ts';
import { notEnded, startedBy } from './executions.ts';
import { eventOf } from './load.ts';

type Status = Execution['status'];

/** An n8n with these executions by id, only some of which its list shows. */
function n8nWith(all: Record<string, Status>, listed: string[], eventIds: Record<string, string> = {}) {
	const executionOf = (id: string): Execution =>
		({
			id,
			status: all[id],
			data: {
				resultData: {
					runData: { [names.start]: [{ data: { main: [[{ json: { body: { id: eventIds[id] } } }]] } }] },
				},
			},
		}) as unknown as Execution;
	return {
		asked: [] as string[],
		allExecutions: async () => await Promise.resolve(listed.map((id): ExecutionSummary => executionOf(id))),
		async execution(id: string) {
			this.asked.push(id);
			return await Promise.resolve(executionOf(id));
		},
	};
}

describe('which executions have not ended', () => {
	it('one that the list never shows is asked for, once nothing else is under way', async () => {
		const ended = n8nWith({ 1: 'success', 2: 'success', 3: 'error' }, ['1', '3']);
		expect(await notEnded(ended, 'w', new Set(['1', '2', '3']))).toEqual(new Set());
		expect(ended.asked).toEqual(['2']);
	});

	it('one that the list never shows and that runs has not', async () => {
		const runs = n8nWith({ 1: 'success', 2: 'running' }, ['1']);
		expect(await notEnded(runs, 'w', new Set(['1', '2']))).toEqual(new Set(['2']));
	});

	it('while the list shows one that runs, nobody is asked', async () => {
		const runs = n8nWith({ 1: 'running', 2: 'success' }, ['1']);
		expect(await notEnded(runs, 'w', new Set(['1', '2']))).toEqual(new Set(['1', '2']));
		expect(runs.asked).toEqual([]);
	});
});

describe('an event whose webhook call got no answer', () => {
	it('is found among the executions, each delivery once', async () => {
		const [one, same] = [eventOf('a', 1), eventOf('a', 1)];
		const n8n = n8nWith({ 1: 'success', 2: 'running', 3: 'success', 4: 'new' }, ['1', '2', '3', '4'], {
			1: 'a',
			2: 'b',
			3: 'a',
			4: 'a',
		});
		const found = await startedBy(n8n, 'w', [one, same], ['1']);
		expect(new Set(found.values())).toEqual(new Set(['3', '4']));
		expect([...found.keys()]).toEqual([one, same]);
	});
});
