/** A node that reads its parameters in one of two ways: together as the node under test does, or one by one. */
import type { IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { Together } from '../../nodes/Messaging/input/together.ts';

/** An item's parameter values as text, unambiguous. */
export interface Reading {
	values: Record<string, string>;
	/** How many evaluations of several expressions at once there were. */
	evaluations: number;
}

const names = ['a', 'b', 'c', 'd', 'collection', 'locator'];

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
		let evaluations = 0;
		const evaluateExpression = (expression: string, item: number) => {
			evaluations += 1;
			return this.evaluateExpression(expression, item);
		};
		const context = Object.create(this, { evaluateExpression: { value: evaluateExpression } });
		const together = new Together(context as IExecuteFunctions);
		const { parameters } = this.getNode();
		return [
			this.getInputData().map((_item, item) => {
				evaluations = 0;
				const read = together.ofItem(item);
				const values = names
					.filter((name) => name in parameters)
					.map((name) => {
						const alone = (): unknown => this.getNodeParameter(name, item, '', { skipValidation: true });
						return [name, outcomeOf(() => (parameters['way'] === 'together' ? read(name, alone) : alone()))];
					});
				return { json: { values: Object.fromEntries(values), evaluations } };
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
