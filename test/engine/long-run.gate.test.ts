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

test('a long run says where it is, and its end; no text, no address and no key of it', async () => {
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

	const whose = `Unified Messaging, message send, execution ${run.report.executionId}, after `;
	const said = lines();
	expect(said[before + 1]).toMatch(/, after \d+ s: 9 of 10 items, 1 failed$/);
	expect(said.at(-1)).toMatch(/: ended; 9 of 10 items went through; 1 rejected/);
	for (const line of said) expect(line.startsWith(whose)).toBe(true);
	const { log } = lab.lab.engine;
	for (const secret of ['text', 'example.com', lab.credential.apiKey, lab.credential.baseUrl, 'No room']) {
		expect(log).not.toContain(secret);
	}
});

test('a run that is stopped says what became of its items', async () => {
	const before = lines().length;
	await lab.client.setFaults([{ kind: 'hold', path: 'SendMessage' }]);
	const { finished, cancel } = lab.start(lab.send(options), { items: letters(3) });
	await eventually(async () => lines().length > before, 'a line');
	await cancel();
	await finished;
	await eventually(async () => lines().length > before + 1, 'the last line');

	expect(lines().at(-1)).toMatch(/: ended; 0 of 3 items went through; 3 may have been sent/);
});
