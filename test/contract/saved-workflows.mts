/** What saved workflows depend on in the nodes. Changing it breaks existing workflows. */
import type {
	GenericValue,
	ICredentialType,
	IDisplayOptions,
	INodeProperties,
	INodeTypeDescription,
} from 'n8n-workflow';

import { asText } from '../../dev/harness/as-text.mts';

/** The file with them, below the project's root. */
export const contractFile = 'test/contract/saved-workflows.json';

/** One parameter, as far as saved workflows depend on it: without labels, descriptions and examples. */
interface SavedParameter {
	type: string;
	default: unknown;
	required?: true;
	noDataExpression?: true;
	/** Whether the parameter holds a list of such values. */
	multiple?: true;
	/** The values of an options field, or the modes of a locator. */
	values?: GenericValue[];
	/** When it is shown, apart from resource and operation. */
	displayOptions?: IDisplayOptions;
}

/** Parameters by path; several where one is described more than once. */
type SavedParameters = Record<string, SavedParameter | SavedParameter[]>;

/** Reads the contract from the descriptions of the two nodes and their credential. */
export function savedWorkflows(
	description: INodeTypeDescription,
	trigger: INodeTypeDescription,
	credential: ICredentialType,
) {
	/** The parameters common to all operations, and then those of each. */
	const parameters: Record<string, SavedParameters> = {};
	for (const property of description.properties.filter(isSaved)) {
		for (const place of placesOf(property)) collect([property], '', (parameters[place] ??= {}));
	}
	return {
		node: {
			name: description.name,
			version: description.version,
			credentials: credentialsOf(description),
			tool: description.usableAsTool !== undefined,
		},
		parameters,
		trigger: {
			name: trigger.name,
			version: trigger.version,
			credentials: credentialsOf(trigger),
			polling: trigger.polling === true,
		},
		// n8n adds the polling schedule.
		triggerParameters: collect(trigger.properties.filter(isSaved)),
		credential: { name: credential.name, fields: collect(credential.properties) },
	};
}

/** Hidden fields show the node what it refuses: no workflow that works has them. */
function isSaved({ type }: INodeProperties): boolean {
	return type !== 'hidden';
}

function credentialsOf({ credentials = [] }: INodeTypeDescription): string[] {
	return credentials.map(({ name }) => name);
}

/** The operations that show a parameter; its resource for an operation menu. */
function placesOf({ displayOptions }: INodeProperties): string[] {
	const { resource = ['every resource'], operation } = displayOptions?.show ?? {};
	return resource.flatMap((name) =>
		operation === undefined ? [asText(name)] : operation.map((own) => `${asText(name)}.${asText(own)}`),
	);
}

/** Adds the parameters and those inside them, by path. */
function collect(properties: readonly INodeProperties[], prefix = '', into: SavedParameters = {}) {
	for (const property of properties) {
		const path = `${prefix}${property.name}`;
		const known = into[path];
		const saved = savedParameter(property);
		into[path] = known === undefined ? saved : [known, saved].flat();
		for (const option of property.options ?? []) {
			if ('values' in option) collect(option.values, `${path}.${option.name}.`, into);
			else if ('type' in option) collect([option], `${path}.`, into);
		}
	}
	return into;
}

function savedParameter(property: INodeProperties): SavedParameter {
	const { type, required, noDataExpression, typeOptions, modes, options = [] } = property;
	const values = modes?.map(({ name }) => name) ?? options.flatMap((o) => ('value' in o ? [o.value] : []));
	const displayOptions = withoutPlace(property.displayOptions);
	return {
		type,
		default: property.default,
		...(required === true ? { required } : {}),
		...(noDataExpression === true ? { noDataExpression } : {}),
		...(typeOptions?.multipleValues === true ? { multiple: true } : {}),
		...(values.length > 0 ? { values } : {}),
		...(displayOptions === undefined ? {} : { displayOptions }),
	};
}

function withoutPlace({ show = {}, ...others }: IDisplayOptions = {}): IDisplayOptions | undefined {
	const { resource: _, operation: __, ...conditions } = show;
	const rest = Object.keys(conditions).length > 0 ? { show: conditions, ...others } : others;
	return Object.keys(rest).length > 0 ? rest : undefined;
}
