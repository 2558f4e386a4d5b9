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
		if (items < 2 || !(await mayDiffer(context))) return first;
		for (let item = 1; item < items; item++) {
			if (JSON.stringify(await read(item)) !== JSON.stringify(first)) return DIFFERENT;
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

/** An expression that has nothing of an item in it: one secret or variable. */
const FREE_OF_ITEMS = /^=\{\{ *\$(?:env|secrets|vars)[\w.[\]"'-]* *\}\}$/;

/**
 * Whether the credential may be another one for some items, so that it has to be read for each of them, which takes long.
 *
 * n8n does not show what is saved in a credential, but has `workflow.expression` resolve it. So the credential is read once
 * with a workflow whose `expression` only looks at what is saved. If n8n does not use that, nothing is known, and the
 * credential may differ.
 */
async function mayDiffer(context: IAllExecuteFunctions): Promise<boolean> {
	let mayBeAnother = true;
	const expression = {
		getParameterValue(saved: ICredentialDataDecryptedObject): ICredentialDataDecryptedObject {
			const texts = Object.values(saved).filter((value) => typeof value === 'string');
			mayBeAnother = texts.some((text) => text.startsWith('=') && !FREE_OF_ITEMS.test(text));
			return saved;
		},
	};
	try {
		const { workflow } = context as unknown as { workflow: object };
		const looking = Object.create(context, {
			workflow: { value: Object.create(workflow, { expression: { value: expression } }) as unknown },
		}) as IAllExecuteFunctions;
		await looking.getCredentials(CREDENTIAL_TYPE, 0);
	} catch {
		return true;
	}
	return mayBeAnother;
}
