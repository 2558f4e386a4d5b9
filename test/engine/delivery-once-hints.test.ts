/** What is said of a new run once earlier tries of the execution have sent some items under their once keys. */
import { orders, useOnceLab } from './once-lab.ts';

const lab = useOnceLab();

/** What a run is told of a new run. */
const warning = /duplicates/;

describe('where every item has a key, nobody is told that a new run sends anything again', () => {
	test('after the tries of Retry On Fail', async () => {
		await lab.client.setFaults([
			{ kind: 'status', status: 400, path: 'SendMessage', bodyContains: 'text 0.', times: 1 },
			{ kind: 'lostResponse', path: 'SendMessage', bodyContains: 'text 1.', times: 1 },
		]);
		const run = await lab.execute(lab.once(), {
			items: orders(4),
			settings: { onError: 'continueErrorOutput', retryOnFail: true, maxTries: 2, waitBetweenTries: 0 },
		});
		const hints = run.hints.map(({ message }) => message).join(' ');
		expect(hints).toMatch(
			/3 went out \(3 of them in an earlier try\), 1 may have gone out|2 of them in an earlier try/,
		);
		expect(hints).not.toMatch(warning);
	});

	test('in the error of a retry that was cut short before their turn', async () => {
		const items = orders(4);
		await lab.client.setFaults([{ kind: 'status', status: 400, bodyContains: 'text 3.' }]);
		const failed = await lab.execute(lab.once({ maxConcurrency: 1 }), { items });
		const retried = await lab.lab.engine.retry(failed, {
			credential: { ...lab.credential, apiKey: '…' },
		});
		expect(retried.error?.message).toContain('API Key');
		expect(retried.error?.description).toMatch(/3 went out \(3 of them in an earlier try/);
		expect(retried.error?.description).not.toMatch(warning);
	});
});
