/** Reads and applies credentials as n8n's server does, from memory instead of a database. */
import type {
	ICredentialDataDecryptedObject,
	ICredentialsExpressionResolveValues,
	IExecuteData,
	IHttpRequestOptions,
	INodeCredentialsDetails,
	INodeParameters,
	INodeProperties,
	IWorkflowExecuteAdditionalData,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import type { StoredCredential } from '../protocol.mts';
import { n8n } from './n8n.mts';
import type { Packages } from './packages.mts';

/**
 * Finds and applies the credentials of one execution. What the credential under test does not use is not here:
 * inheritance, a login before the request, changes of what is stored.
 */
export class ExecutionCredentials {
	/** How often one was read. */
	reads = 0;
	readonly #packages: Packages;
	readonly #stored: StoredCredential[];

	constructor(packages: Packages, stored: StoredCredential[]) {
		this.#packages = packages;
		this.#stored = stored;
	}

	getParentTypes(): string[] {
		return [];
	}

	isCredentialUsableByNode(): boolean {
		return true;
	}

	getCredentialsProperties(type: string): INodeProperties[] {
		return this.#packages.credential(type).properties;
	}

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		type: string,
		options: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const { authenticate } = this.#packages.credential(type);
		if (typeof authenticate !== 'function') throw new Error('The credential has no function for this');
		return await authenticate(credentials, options);
	}

	async preAuthentication(): Promise<undefined> {}

	async runPreAuthentication(): Promise<undefined> {}

	async getDecrypted(
		_additionalData: IWorkflowExecuteAdditionalData,
		{ id }: INodeCredentialsDetails,
		type: string,
		mode: WorkflowExecuteMode,
		executeData?: IExecuteData,
		_raw?: boolean,
		values?: ICredentialsExpressionResolveValues,
	): Promise<ICredentialDataDecryptedObject> {
		this.reads += 1;
		const found = this.#stored.find((credential) => credential.id === id && credential.type === type);
		if (!found) {
			throw new n8n.UserError(`Credential with ID "${id}" does not exist for type "${type}".`);
		}
		const data = n8n.NodeHelpers.getNodeParameters(
			this.getCredentialsProperties(type),
			{ ...found.data } as INodeParameters,
			true,
			false,
			null,
			null,
		) as INodeParameters;
		if (values === undefined) return data as ICredentialDataDecryptedObject;
		const { connectionInputData, itemIndex, node, runExecutionData, runIndex, workflow } = values;
		return workflow.expression.getParameterValue(
			data,
			runExecutionData,
			runIndex,
			itemIndex,
			node.name,
			connectionInputData,
			mode,
			{},
			executeData,
			false,
			data,
		) as ICredentialDataDecryptedObject;
	}
}
