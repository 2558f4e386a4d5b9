/** What the fault matrix can't show: a very long list. */
import { useLab } from './lab.mts';
import { serve } from '../serve.mts';

const lab = useLab();

test('a list of 130,000 records is a success', async () => {
	const records = JSON.stringify(Array.from({ length: 130_000 }, (_, n) => ({ channelId: String(n) })));
	const { url } = await serve((_, response) => {
		response.writeHead(200, { 'content-type': 'application/json' });
		response.end(records);
	});
	const run = await lab.execute(
		{ resource: 'channel', operation: 'getAll', returnAll: true },
		{ credential: { ...lab.credential, baseUrl: url } },
	);
	expect(run.status).toBe('success');
	// Counted in the text, which need not be parsed.
	expect(run.saved.match(/"channelId"/g)).toHaveLength(130_000);
});
