import type { IDataObject } from 'n8n-workflow';
import { cases, unaskedParameters } from '../cases/index.mts';
import { anyUuid, ids } from '../cases/values.mts';
import { useLab } from './lab.mts';

const lab = useLab();

/** Every answer to every operation is tested in test/unit. */
test.each<[what: string, fault: { body: unknown; contentType?: string; status?: number }, adds: IDataObject]>(
	[
		['nothing, with status 204', { body: null, status: 204 }, {}],
		[
			'text that is called JSON',
			{ body: 'Accepted', contentType: 'application/json' },
			{ response: 'Accepted' },
		],
		['a number', { body: 5, contentType: 'application/json; v=1.0' }, { response: 5 }],
		['an object called text', { body: '{"a":1}', contentType: 'text/plain; v=1.0' }, { a: 1 }],
		['an error field', { body: { error: 'soft', a: [1, null] } }, { serviceError: 'soft', a: [1, null] }],
	],
)('a message that is answered with %s is sent', async (_what, fault, adds) => {
	await lab.client.setFaults([{ kind: 'reply', status: 200, ...fault }]);
	const id = 'message.send';

	const run = await lab.execute(unaskedParameters(id, cases[id].record?.raw), {
		settings: { onError: 'continueErrorOutput' },
	});

	const { known, settled } = cases[id].reply;
	const own = Object.entries(known).map(([name, value]) => [name, value === ids.call ? anyUuid() : value]);
	expect(run.main[1]).toEqual([]);
	expect(run.json).toEqual([{ ...(Object.fromEntries(own) as IDataObject), ...adds, ...settled }]);
});

const levels = (count: number): string => `${'['.repeat(count)}${']'.repeat(count)}`;
const long = 900_000;

test.each<[kind: string, body: string]>([
	['thirty thousand fields', `{${Array.from({ length: 30_000 }, (_, n) => `"f${n}":1`).join(',')}}`],
	['a token without an end', JSON.stringify({ note: `X-API-KEY: acc_${'a'.repeat(long)}` })],
	['a token in a field without an end', JSON.stringify({ apiKey: 'a'.repeat(long) })],
	['four hundred thousand backslashes', JSON.stringify({ note: '\\'.repeat(400_000) })],
	['a hundred thousand levels', `{"a":${levels(100_000)}}`],
	['brackets without an end', '['.repeat(long)],
	['a name without an end', JSON.stringify({ ['x'.repeat(long)]: 1 })],
	['half a document', '{"packageId":"'],
])('a message is sent all the same that is answered with %s', async (_kind, body) => {
	await lab.client.setFaults([{ kind: 'reply', status: 200, body, contentType: 'application/json' }]);

	const run = await lab.execute(unaskedParameters('message.send'));

	expect(run.error).toBeUndefined();
	expect(typeof run.json[0]?.['packageId']).toBe('string');
	expect(run.saved).not.toContain('a'.repeat(100));
});
