/** A node that reads its parameters in one of two ways. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';

/** An item's parameter values as text, unambiguous. */
export interface Reading extends IDataObject {
	values: Record<string, string>;
	/** How many parameters were read one by one. */
	alone: number;
}

const names = ['a', 'b', 'c', 'd', 'collection', 'locator'];

type Built = Pick<typeof import('../../../nodes/Messaging/input/path-reader.ts'), 'PathReader'>;

const requireHere = createRequire(join(process.cwd(), 'package.json'));

/** The reader of the built package, which is there when the first node runs. */
const built = (): Built => requireHere('./dist/nodes/Messaging/input/path-reader.js') as Built;

/** Reads its parameters as the node under test does, or one by one. */
export class Reads implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Reads',
		name: 'reads',
		group: ['transform'],
		version: 1,
		description: 'Reads its parameters',
		defaults: { name: 'Reads' },
		inputs: ['main'],
		outputs: ['main'],
		properties: ['way', ...names].map((name) => ({ displayName: name, name, type: 'json', default: '' })),
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const reader = new (built().PathReader)(this);
		const { parameters } = this.getNode();
		const given = names.filter((name) => name in parameters);
		return [
			this.getInputData().map((_item, item) => {
				const resolved = reader.ofItem(item);
				const json: Reading = { values: {}, alone: 0 };
				for (const name of given) {
					const readAlone = (): unknown => {
						json.alone += 1;
						return this.getNodeParameter(name, item, '', { skipValidation: true });
					};
					const isTogether = parameters['way'] === 'together';
					json.values[name] = outcomeOf(() =>
						isTogether ? resolved(reader.saved(name), readAlone) : readAlone(),
					);
				}
				return { json };
			}),
		];
	}
}

function outcomeOf(read: () => unknown): string {
	try {
		return shown(read());
	} catch (error) {
		const { name, message, description, context, cause } = error as Error & {
			description?: unknown;
			context?: unknown;
		};
		// An expression that evaluates itself fails when n8n's stack overflows, at a depth that varies.
		const said = message.replace(/^(Expression evaluation failed: )+/, '$1');
		return `throws ${JSON.stringify([name, said, description, context, cause])}`;
	}
}

function shown(value: unknown): string {
	if (Object.is(value, -0)) return 'number -0';
	if (typeof value === 'object' && value !== null) {
		const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${shown(member)}`);
		const kind = Object.prototype.toString.call(value);
		return `${kind} ${value.constructor?.name} {${members.join(', ')}}`;
	}
	return `${typeof value} ${typeof value === 'string' ? JSON.stringify(value) : String(value)}`;
}
