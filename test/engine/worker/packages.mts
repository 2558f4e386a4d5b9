/** Node and credential types, loaded from their package by n8n's own loader. */
import type { ICredentialType, INodeType, INodeTypes, IVersionedNodeType } from 'n8n-workflow';
import type { LoadedPackage } from '../protocol.mts';
import { asTool, helperNodes, helperPackage } from './helper-nodes.mts';
import { core, n8n } from './n8n.mts';

type Loader = InstanceType<typeof core.PackageDirectoryLoader>;

function splitName(type: string): [packageName: string, name: string] {
	const dot = type.lastIndexOf('.');
	return [type.slice(0, dot), type.slice(dot + 1)];
}

/** The package that a worker has loaded, and the helper nodes. */
export class Packages implements INodeTypes {
	readonly #loader: Loader;

	constructor(loader: Loader) {
		this.#loader = loader;
	}

	getByName(type: string): INodeType | IVersionedNodeType {
		const [packageName, name] = splitName(type);
		const helper = packageName === helperPackage ? helperNodes[name] : undefined;
		if (helper) return helper;
		if (packageName !== this.#loader.packageName)
			throw new Error(`No package with the node "${type}" is loaded`);
		const ofTool = name.replace(/Tool$/, '');
		if (ofTool !== name && ofTool in this.#loader.known.nodes)
			return asTool(this.#loader.getNode(ofTool).type as INodeType);
		return this.#loader.getNode(name).type;
	}

	getByNameAndVersion(type: string, version?: number): INodeType {
		return n8n.NodeHelpers.getVersionedNodeType(this.getByName(type), version);
	}

	getKnownTypes() {
		const { packageName, known } = this.#loader;
		return Object.fromEntries(
			Object.entries(known.nodes).map(([name, details]) => [`${packageName}.${name}`, { ...details }]),
		);
	}

	/** A credential type; fails when the package does not have it. */
	credential(type: string): ICredentialType {
		return this.#loader.getCredential(type).type;
	}

	/** What the editor is given about the loaded package. */
	describe(): LoadedPackage {
		const { packageName, types } = this.#loader;
		return JSON.parse(JSON.stringify({ name: packageName, ...types })) as LoadedPackage;
	}
}

/**
 * Loads a package as n8n does at startup: from `dist/known` if the package has it, else by loading each class named in
 * its package.json.
 */
export async function loadPackage(directory: string): Promise<Packages> {
	const loader = new core.LazyPackageDirectoryLoader(directory);
	await loader.loadAll();
	return new Packages(loader);
}
