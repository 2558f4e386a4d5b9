import type { IExecuteFunctions } from 'n8n-workflow';

import { deliver } from '../../../nodes/Messaging/delivery/deliver.ts';
import type { Items } from '../../../nodes/Messaging/delivery/items.ts';
import { Ledger } from '../../../nodes/Messaging/delivery/ledger.ts';
import type { Run } from '../../../nodes/Messaging/delivery/run.ts';
import { FakeClock } from './fake-clock.mts';
import { N8nStore } from './once/n8n-store.mts';
import { Process } from './once/processes.mts';
import { FailingService } from './pace/failing-service.mts';
import { environment, SEND, STANDARD } from './run.mts';

test('a run that is stopped while a key is being claimed does not send its message, and frees the key', async () => {
	const clock = new FakeClock();
	const store = new N8nStore(clock, () => ({ readMs: 1, writeMs: 50 }));
	const service = new FailingService(clock, () => 200);
	const halt = new AbortController();
	const { signal } = halt;
	const context = {
		getInputData: () => [{ json: {} }],
		getNode: () => ({ type: 'messaging' }),
		getMode: () => 'trigger',
		getExecutionCancelSignal: () => undefined,
		continueOnFail: () => false,
	} as unknown as IExecuteFunctions;
	const ledger = new Ledger(context);
	const onceKeys = new Process(clock, store).run({ signal });
	const calls = environment(clock, service, { signal });
	const job = { item: 0, compiled: { call: SEND }, settings: { ...STANDARD, onceKey: 'key' } };
	const items = { look: async () => undefined, jobs: async () => [job], endRun: () => undefined };
	const run = { context, ledger, calls, onceKeys, halt, hints: new Map() };
	const over = deliver(run as unknown as Run, items as unknown as Items);
	await clock.pass(100);
	expect(store.marks).toHaveLength(2);
	halt.abort();
	await clock.until(over);
	expect(service.sent).toEqual([]);
	expect(ledger.entry(0).failure?.outcome).toBe('unsent');
	expect(store.marks).toEqual([]);
});
