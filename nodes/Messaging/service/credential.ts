import type { IAllExecuteFunctions, ICredentialDataDecryptedObject } from 'n8n-workflow';

import { CREDENTIAL_TYPE } from '../../../credentials/api-key';
import { errorText } from '../shared/text';
import { type Failure, unsent } from './endings';

/**
 * The credential, or why it can't be used. A credential may contain expressions, which n8n resolves for an item: all
 * items of a run go out with one credential, so they have to give the same for all.
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
		if (items < 2 || !(await isOfItem(read, first, items))) return first;
		for (let item = 1; item < items; item++) {
			if (!isSame(first, await read(item))) return DIFFERENT;
		}
		return first;
	} catch (error) {
		return unsent(
			'The API key could not be read',
			`Select a Unified Messaging API credential in the node, open it and save it again. (${errorText(error)})`,
		);
	}
}

type Read = (item: number) => Promise<ICredentialDataDecryptedObject>;

/** Whether the credential depends on the item. An item that does not exist gives something else then, or fails. */
async function isOfItem(read: Read, first: ICredentialDataDecryptedObject, items: number): Promise<boolean> {
	try {
		return !isSame(first, await read(items));
	} catch {
		return true;
	}
}

function isSame(one: ICredentialDataDecryptedObject, other: ICredentialDataDecryptedObject): boolean {
	return JSON.stringify(one) === JSON.stringify(other);
}

const DIFFERENT = unsent(
	'The items of this run have different API keys or addresses',
	'The credential has an expression that gives something else for some items, and all items of a run go out with one credential. Nothing was sent. Put Loop Over Items with a batch size of 1 before this node.',
);
