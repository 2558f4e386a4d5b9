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
		// Only a credential that depends on the item gives something else, or fails, for one that does not exist. It is no
		// whole number, because an expression may count: {{ $itemIndex % 2 }}.
		const isOfItem = items > 1 && !isSame(await read(items + 0.5).catch(() => undefined));
		for (let item = 1; isOfItem && item < items; item++) if (!isSame(await read(item))) return DIFFERENT;
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
