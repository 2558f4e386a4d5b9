/** What n8n's log says of a run that takes long, in an engine in which a minute takes a second. */
import { letters, useDeliveryLab } from './delivery-lab.ts';
import { eventually } from './eventually.ts';

const lab = useDeliveryLab({ logLevel: 'info', fastClock: true });

/** Time enough for a service that makes a minute out of each second. */
const options = { timeout: 86_400 };

/** What the node has written to n8n's log, without n8n's own marks. */
function lines(): string[] {
	return lab.lab.engine.log.split('\n').flatMap((line) => /Unified Messaging, .*$/.exec(line) ?? []);
}

test('a long run says how far it is; no text, no address and no key of it', async () => {
	await lab.client.setFaults([
		{ kind: 'status', status: 422, bodyContains: 'text 3.', body: { title: 'No room for text 3.' } },
		{ kind: 'hold', path: 'SendMessage', bodyContains: 'text 7.' },
	]);
	const items = letters(10);
	const settings = { onError: 'continueRegularOutput' } as const;
	const { finished } = lab.start(lab.send(options), { items, settings });
	await lab.answered(9);
	const before = lines().length;
	await eventually(async () => lines().length >= before + 2, 'two lines');
	await lab.client.clearFaults();
	const run = await finished;

	const whose = `Unified Messaging, message send, execution ${run.report.executionId}: `;
	const said = lines();
	expect(said[before + 1]).toMatch(/: 8 of 10 items done, 1 failed$/);
	for (const line of said) expect(line.startsWith(whose)).toBe(true);
	const { log } = lab.lab.engine;
	for (const secret of ['text', 'example.com', lab.credential.apiKey, lab.credential.baseUrl, 'No room']) {
		expect(log).not.toContain(secret);
	}
});
