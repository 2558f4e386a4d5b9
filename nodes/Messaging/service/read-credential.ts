import type { IAllExecuteFunctions, ICredentialDataDecryptedObject } from 'n8n-workflow';

import { CREDENTIAL_TYPE } from '../../../credentials/api-key';
import { errorText } from '../shared/text';
import { type Failure, unsent } from './endings';

/**
 * The credential, or why it can't be used. A credential may have expressions, which n8n resolves for an item. All items of
 * a run go out with one credential, so they have to give the same for all.
 *
 * @param items how many items a run has; none outside of an execution
 */
export async function credentialOf(
	context: IAllExecuteFunctions,
	items = 0,
): Promise<ICredentialDataDecryptedObject | Failure> {
	const read = async (item: number): Promise<ICredentialDataDecryptedObject> =>
		await context.getCredentials(CREDENTIAL_TYPE, item);
	try {
		const first = await read(0);
		const isSame = (other: unknown): boolean => JSON.stringify(other) === JSON.stringify(first);
		// Reading it for each item takes long. For an item that does not exist, a credential gives the same, unless it
		// depends on the item. The number is no whole one, because an expression may count: {{ $itemIndex % 2 }}.
		const isOfItem = items > 1 && !isSame(await read(items + 0.5).catch(() => undefined));
		if (!isOfItem) return first;
		for (let item = 1; item < items; item++) {
			if (!isSame(await read(item))) return DIFFERENT;
		}
		return first;
	} catch (error) {
		return unsent(
			'The API key could not be read',
			`Select a Unified Messaging API credential in the node, open it and save it again. (${errorText(error)})`,
		);
	}
}

const DIFFERENT = unsent(
	'The items of this run have different API keys or addresses',
	'The credential has an expression that gives something else for some items, and all items of a run go out with one credential. Nothing was sent. Put Loop Over Items with a batch size of 1 before this node.',
);
