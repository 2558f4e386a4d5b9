/** A node that reads its parameters in one of two ways, and one that gives it items. */
import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { PathReader } from '../../nodes/Messaging/input/path-reader.ts';

/** An item's parameter values as text, unambiguous. */
export interface Reading {
	values: Record<string, string>;
	/** How many evaluations of several expressions at once there were. */
	evaluations: number;
	/** How many parameters were read one by one. */
	alone: number;
}

const names = ['a', 'b', 'c', 'd', 'collection', 'locator'];

/** Reads its parameters as the node under test does, or one by one. */
export class ReadingNode implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Reading',
		name: 'readingNode',
		group: ['transform'],
		version: 1,
		description: 'Reads its parameters',
		defaults: { name: 'Reading' },
		inputs: ['main'],
		outputs: ['main'],
		properties: ['way', ...names].map((name) => ({ displayName: name, name, type: 'json', default: '' })),
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		let [evaluations, alone] = [0, 0];
		const evaluateExpression = (expression: string, item: number) => {
			evaluations += 1;
			return this.evaluateExpression(expression, item);
		};
		const context = Object.create(this, { evaluateExpression: { value: evaluateExpression } });
		const together = new PathReader(context as IExecuteFunctions);
		const { parameters } = this.getNode();
		return [
			this.getInputData().map((_item, item) => {
				[evaluations, alone] = [0, 0];
				const read = together.ofItem(item);
				const values = names
					.filter((name) => name in parameters)
					.map((name) => {
						const readAlone = (): unknown => {
							alone += 1;
							return this.getNodeParameter(name, item, '', { skipValidation: true });
						};
						const readIt = () => (parameters['way'] === 'together' ? read(name, readAlone) : readAlone());
						return [name, outcomeOf(readIt)];
					});
				return { json: { values: Object.fromEntries(values), evaluations, alone } };
			}),
		];
	}
}

/** The name of the only member of an object that stands for a value which JSON does not have. */
export const oddName = 'odd value';

/** Values that JSON does not have, but a node can give its items. */
export const oddValues = {
	date: () => new Date(1_700_000_000_000),
	undefined: () => undefined,
	'not a number': () => NaN,
	infinity: () => Infinity,
	'minus zero': () => -0,
	function: () => () => 'called',
	'without a prototype': () => Object.assign(Object.create(null), { a: 'own' }) as object,
	inherited: () => Object.create({ a: 'inherited', '0': 'inherited' }) as object,
	instance: () =>
		new (class Instance {
			a = 'of an instance';
			get b() {
				return 'of its class';
			}
		})(),
	getter: () => Object.defineProperty({}, 'a', { get: () => 'got', enumerable: true }),
	hidden: () => Object.defineProperty({}, 'a', { value: 'not enumerable' }),
	'with toJSON': () => ({ a: 'own', toJSON: () => ({ a: 'for JSON' }) }),
	list: () => Object.assign(['x', , 'z'], { a: 'of a list' }),
	text: () => Object('an object of text') as object,
	map: () => new Map([['a', 'of a map']]),
	bytes: () => new Uint8Array([1, 2]),
	proxy: () => new Proxy({ a: 'hidden' }, { get: () => 'through a proxy' }),
	frozen: () => Object.freeze({ a: 'frozen' }),
} satisfies Record<string, () => unknown>;

/** Gives items of the JSON in its input, as text; odd values are made anew. */
export class OddNode implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Odd',
		name: 'oddNode',
		group: ['transform'],
		version: 1,
		description: 'Gives odd items',
		defaults: { name: 'Odd' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [],
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [
			this.getInputData().map(({ json }, item) => ({
				json: made(JSON.parse(json['text'] as string)) as IDataObject,
				// As a Merge node does.
				pairedItem: [{ item }, { item, input: 1 }],
			})),
		];
	}
}

function made(value: unknown): unknown {
	if (typeof value !== 'object' || value === null) return value;
	if (oddName in value) return oddValues[value[oddName] as keyof typeof oddValues]();
	for (const [name, member] of Object.entries(value)) {
		Object.defineProperty(value, name, {
			value: made(member),
			enumerable: true,
			writable: true,
			configurable: true,
		});
	}
	return value;
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
