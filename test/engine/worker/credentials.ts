/** Reads and applies credentials as n8n's server does, from memory instead of a database. */
import type {
	ICredentialDataDecryptedObject,
	ICredentials,
	ICredentialsExpressionResolveValues,
	IExecuteData,
	IHttpRequestHelper,
	IHttpRequestOptions,
	INode,
	INodeCredentialsDetails,
	INodeParameters,
	INodeProperties,
	IWorkflowExecuteAdditionalData,
	Workflow,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import type { StoredCredential } from '../protocol.ts';
import { withExpressions } from './expressions.ts';
import { core, n8n } from './n8n.ts';
import type { Packages } from './packages.ts';

/** The node used to resolve a credential's expressions outside of a run. */
const credentialNode: INode = {
	id: 'credential',
	name: '',
	type: `harness.noOp`,
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

/** Finds, decrypts and applies the credentials of one execution, and counts the reads. */
export class ExecutionCredentials extends n8n.ICredentialsHelper {
	lookups = 0;
	readonly #packages: Packages;
	readonly #stored: StoredCredential[];

	constructor(packages: Packages, stored: StoredCredential[]) {
		super();
		this.#packages = packages;
		this.#stored = stored;
	}

	getParentTypes(name: string): string[] {
		const parents = this.#packages.credential(name).extends ?? [];
		return parents.flatMap((parent) => [parent, ...this.getParentTypes(parent)]);
	}

	isCredentialUsableByNode(credentialType: string, nodeType: string): boolean {
		if (!this.#packages.credential(credentialType).restrictToSupportedNodes) return true;
		return this.#packages.supportedNodes(credentialType).includes(nodeType);
	}

	getCredentialsProperties(type: string): INodeProperties[] {
		const credentialType = this.#packages.credential(type);
		const properties: INodeProperties[] = [];
		for (const parent of credentialType.extends ?? []) {
			n8n.NodeHelpers.mergeNodeProperties(properties, this.getCredentialsProperties(parent));
		}
		n8n.NodeHelpers.mergeNodeProperties(properties, credentialType.properties);
		return properties;
	}

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
		requestOptions: IHttpRequestOptions,
		workflow?: Workflow,
		node?: INode,
	): Promise<IHttpRequestOptions> {
		const { authenticate } = this.#packages.credential(typeName);
		if (authenticate === undefined) return requestOptions;
		if (typeof authenticate === 'function') return await authenticate(credentials, requestOptions);
		if (!workflow || !node) throw new Error('A declarative credential needs a workflow and a node');

		const resolve = (value: string) => resolveValue(value, credentials, workflow, node);
		const target = requestOptions as unknown as Record<string, Record<string, unknown> | undefined>;
		target['headers'] ??= {};
		for (const [place, values] of Object.entries(authenticate.properties)) {
			const options = (target[place] ??= {});
			for (const [key, value] of Object.entries(values as Record<string, string>)) {
				options[resolve(key)] = resolve(value);
			}
		}
		return requestOptions;
	}

	async preAuthentication(
		_helpers: IHttpRequestHelper,
		_credentials: ICredentialDataDecryptedObject,
		typeName: string,
	): Promise<ICredentialDataDecryptedObject | undefined> {
		return this.#refusePreAuthentication(typeName);
	}

	async runPreAuthentication(
		_helpers: IHttpRequestHelper,
		_credentials: ICredentialDataDecryptedObject,
		typeName: string,
	): Promise<ICredentialDataDecryptedObject | undefined> {
		return this.#refusePreAuthentication(typeName);
	}

	async getCredentials(nodeCredential: INodeCredentialsDetails, type: string): Promise<ICredentials> {
		const { id, name, data } = this.#find(nodeCredential, type);
		const credentials = new core.Credentials({ id, name }, type);
		await credentials.setData(data);
		return credentials;
	}

	async getDecrypted(
		additionalData: IWorkflowExecuteAdditionalData,
		nodeCredentials: INodeCredentialsDetails,
		type: string,
		mode: WorkflowExecuteMode,
		executeData?: IExecuteData,
		raw?: boolean,
		values?: ICredentialsExpressionResolveValues,
	): Promise<ICredentialDataDecryptedObject> {
		this.lookups++;
		const { data } = this.#find(nodeCredentials, type);
		if (raw === true) return data;

		const withDefaults = n8n.NodeHelpers.getNodeParameters(
			this.getCredentialsProperties(type),
			{ ...data } as INodeParameters,
			true,
			false,
			null,
			null,
		) as ICredentialDataDecryptedObject;
		const additionalKeys = core.getAdditionalKeys(additionalData, mode, null, { isCredential: true });
		if (values) {
			return values.workflow.expression.getParameterValue(
				withDefaults as INodeParameters,
				values.runExecutionData,
				values.runIndex,
				values.itemIndex,
				values.node.name,
				values.connectionInputData,
				mode,
				additionalKeys,
				executeData,
				false,
				withDefaults as INodeParameters,
			) as ICredentialDataDecryptedObject;
		}
		const workflow = new n8n.Workflow({
			nodes: [credentialNode],
			connections: {},
			active: false,
			nodeTypes: this.#packages,
		});
		return await withExpressions(
			workflow,
			async () =>
				workflow.expression.getComplexParameterValue(
					credentialNode,
					withDefaults as INodeParameters,
					mode,
					additionalKeys,
					undefined,
					undefined,
					withDefaults as INodeParameters,
				) as ICredentialDataDecryptedObject,
		);
	}

	async updateCredentials(): Promise<void> {
		throw new Error('Nothing in a test changes a stored credential');
	}

	async updateCredentialsOauthTokenData(): Promise<void> {
		throw new Error('Nothing in a test changes a stored credential');
	}

	#find({ id }: INodeCredentialsDetails, type: string): StoredCredential {
		const found = this.#stored.find((credential) => credential.id === id && credential.type === type);
		if (!found) {
			throw new n8n.UserError(`Credential with ID "${id}" does not exist for type "${type}".`);
		}
		return found;
	}

	#refusePreAuthentication(typeName: string): undefined {
		if (this.#packages.credential(typeName).preAuthentication) {
			throw new Error(`Credentials that log in first, as "${typeName}" does, have no support here`);
		}
		return undefined;
	}
}

/** A name or value of a declarative `authenticate`, with `$credentials` resolved. */
function resolveValue(
	value: string,
	credentials: ICredentialDataDecryptedObject,
	workflow: Workflow,
	node: INode,
): string {
	if (!n8n.isExpression(value)) return value;
	const resolved = workflow.expression.getSimpleParameterValue(
		node,
		value,
		'internal',
		{ $credentials: credentials },
		undefined,
		'',
	);
	return resolved ? String(resolved) : '';
}
