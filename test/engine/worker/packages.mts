/** Node and credential types, loaded from their packages by n8n's own loader. */
import type { ICredentialType, INodeType, INodeTypes, IVersionedNodeType } from 'n8n-workflow';
import type { LoadedPackage } from '../protocol.mts';
import { asTool, helperNodes, helperPackage } from './helper-nodes.mts';
import { core, n8n } from './n8n.mts';

type Loader = InstanceType<typeof core.PackageDirectoryLoader>;

function splitName(type: string): [packageName: string, name: string] {
	const dot = type.lastIndexOf('.');
	return [type.slice(0, dot), type.slice(dot + 1)];
}

/** The packages that a worker has loaded. */
export class Packages implements INodeTypes {
	readonly #loaders: Loader[];

	constructor(loaders: Loader[]) {
		this.#loaders = loaders;
	}

	getByName(type: string): INodeType | IVersionedNodeType {
		const [packageName, name] = splitName(type);
		const helper = packageName === helperPackage ? helperNodes[name] : undefined;
		if (helper) return helper;
		const loader = this.#loaders.find((candidate) => candidate.packageName === packageName);
		if (!loader) throw new Error(`No package with the node "${type}" is loaded`);
		const ofTool = name.replace(/Tool$/, '');
		if (ofTool !== name && ofTool in loader.known.nodes)
			return asTool(loader.getNode(ofTool).type as INodeType);
		return loader.getNode(name).type;
	}

	getByNameAndVersion(type: string, version?: number): INodeType {
		return n8n.NodeHelpers.getVersionedNodeType(this.getByName(type), version);
	}

	getKnownTypes() {
		return Object.fromEntries(
			this.#loaders.flatMap(({ packageName, known }) =>
				Object.entries(known.nodes).map(([name, details]) => [`${packageName}.${name}`, { ...details }]),
			),
		);
	}

	/** A credential type; fails when no loaded package has it. */
	credential(type: string): ICredentialType {
		const loader = this.#loaders.find(({ known }) => type in known.credentials);
		if (!loader) throw new Error(`No package with the credential "${type}" is loaded`);
		return loader.getCredential(type).type;
	}

	/** What the editor is given about the loaded packages. */
	describe(): LoadedPackage[] {
		const described = this.#loaders.map(({ packageName, types }) => ({ name: packageName, ...types }));
		return JSON.parse(JSON.stringify(described)) as LoadedPackage[];
	}
}

/**
 * Loads packages as n8n does at startup: from `dist/known` if the package has it, else by loading each class named in
 * its package.json.
 */
export async function loadPackages(directories: string[]): Promise<Packages> {
	const loaders: Loader[] = [];
	for (const directory of directories) {
		const loader = new core.LazyPackageDirectoryLoader(directory);
		await loader.loadAll();
		loaders.push(loader);
	}
	return new Packages(loaders);
}
