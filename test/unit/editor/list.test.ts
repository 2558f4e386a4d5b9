import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { keptList } from '../../../nodes/Messaging/editor/list.ts';
import type { ApiCall } from '../../../nodes/Messaging/service/api-call.ts';

/** An editor with a credential, whose service lists one record, named by the key and the address. */
function editor(apiKey: string, baseUrl = 'https://messaging.example.com') {
	const seen = { credentialReads: 0, requests: 0 };
	const context = {
		getCredentials: async () => {
			seen.credentialReads += 1;
			return { apiKey, baseUrl };
		},
		getNode: () => ({ name: 'Messaging', type: 'messaging', typeVersion: 1 }),
		helpers: {
			httpRequestWithAuthentication: async (_: string, { url }: { url: string }) => {
				seen.requests += 1;
				return {
					statusCode: 200,
					headers: { 'content-type': 'application/json' },
					body: JSON.stringify([{ name: `${apiKey.slice(-3)} ${url}` }]),
				};
			},
		},
	};
	return { context: context as unknown as ILoadOptionsFunctions, seen };
}

const list = (path: string): ApiCall => ({ method: 'GET', path });
const named = ({ name }: Record<string, unknown>) => ({ name });

test('the credential is read once for a list, and a list that is kept is not asked for again', async () => {
	const { context, seen } = editor('acc_key-of-the-first-test-one');
	const first = await keptList(context, list('/once'), true, named);
	expect(seen).toEqual({ credentialReads: 1, requests: 1 });
	expect(await keptList(context, list('/once'), false, named)).toBe(first);
	expect(seen).toEqual({ credentialReads: 2, requests: 1 });
});

test('each key, each address and each list has its own', async () => {
	const lists = [
		await keptList(editor('acc_key-of-the-second-test-one').context, list('/a'), false, named),
		await keptList(editor('acc_key-of-the-second-test-two').context, list('/a'), false, named),
		await keptList(editor('acc_key-of-the-second-test-one').context, list('/b'), false, named),
		await keptList(
			editor('acc_key-of-the-second-test-one', 'https://b.example').context,
			list('/a'),
			false,
			named,
		),
	];
	expect(lists.flat()).toEqual([
		{ name: 'one https://messaging.example.com/a' },
		{ name: 'two https://messaging.example.com/a' },
		{ name: 'one https://messaging.example.com/b' },
		{ name: 'one https://b.example/a' },
	]);
});

test('without a usable credential it says why', async () => {
	const { context, seen } = editor('');
	await expect(keptList(context, list('/a'), false, named)).rejects.toThrow(
		/API Key in the credential is empty/,
	);
	expect(seen.requests).toBe(0);
});
