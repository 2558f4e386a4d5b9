import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { execute } from '../../../nodes/Messaging/execute.ts';
import { findOperation } from '../../../nodes/Messaging/operations/index.ts';
import { isPlainObject } from '../../../nodes/Messaging/shared/json.ts';
import { cases, type Parameters } from '../../cases/index.mts';
import { runs } from '../../runs.mts';
import { anyOf } from '../support/arbitraries.mts';
import { fakeN8n, type FakeRequest, jsonResponse } from '../support/fake-n8n.mts';

const send = findOperation('message', 'send');
const preview = findOperation('message', 'preview');
const { least, most } = cases['message.send'];

/** Without what needs n8n's store, or waits, and with what shows the request. */
function withoutWaits({ options = {}, ...others }: Parameters): IDataObject {
	if (!isPlainObject(options)) return { ...others, options } as IDataObject;
	const { onceKey: _key, pauseBetween: _pause, ...rest } = options;
	return { ...others, options: { ...rest, showRequest: true } } as IDataObject;
}

test('whatever is entered, Send sends what Preview shows, and nothing where it shows a refusal', async () => {
	const seen = { sent: 0, refused: 0 };
	const fields = send?.fields ?? [];
	await fc.assert(
		fc.asyncProperty(
			fc.constantFrom(least.given, { ...least.given, ...most.given }),
			anyOf(fields, 2),
			async (base, some) => {
				const parameters = withoutWaits({ ...base, ...some });
				const requests: FakeRequest[] = [];
				const { context } = fakeN8n(
					(request) => {
						requests.push(request);
						return jsonResponse('{}');
					},
					{ parameters },
				);
				const [[item] = []] = await execute(context, preview);
				expect(requests).toEqual([]);
				await execute(context, send);
				const shown = item?.json['request'] as IDataObject | null | undefined;
				// Settings that are refused for the whole run are an error of the run.
				if (shown === null || shown === undefined) {
					expect(item?.json['wouldSend']).not.toBe(true);
					expect(requests).toEqual([]);
					seen.refused++;
					return;
				}
				const [{ method, url, body } = { method: '', url: '', body: '{}' }, ...more] = requests;
				const { packageId, ...rest } = JSON.parse(body) as IDataObject;
				const isShown = Object.hasOwn(Object(shown['body']) as object, 'packageId');
				expect({
					method,
					path: new URL(url).pathname,
					body: isShown ? { ...rest, packageId } : rest,
				}).toEqual(JSON.parse(JSON.stringify(shown)));
				expect(more).toEqual([]);
				seen.sent++;
			},
		),
		runs(200),
	);
	expect(seen.sent).toBeGreaterThan(0);
	expect(seen.refused).toBeGreaterThan(0);
});
