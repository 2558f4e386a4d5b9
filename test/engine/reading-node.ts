/** A node that reads its parameters in one of two ways: in batches as the node under test does, or one by one. */
import type { IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { Together } from '../../nodes/Messaging/input/together.ts';

/** An item's parameter values as text, unambiguous. */
export interface Reading {
	values: Record<string, string>;
	/** How many evaluations of several expressions at once there were, and how many single reads. */
	evaluations: number;
	alone: number;
}

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
		properties: ['order', 'way', 'a', 'b', 'c', 'd', 'collection', 'locator'].map((name) => ({
			displayName: name,
			name,
			type: 'json',
			default: '',
		})),
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		let evaluations = 0;
		const context = Object.create(this, {
			evaluateExpression: {
				value: (expression: string, item: number) => {
					evaluations += 1;
					return this.evaluateExpression(expression, item);
				},
			},
		}) as IExecuteFunctions;
		const together = new Together(context);
		const { order, way } = this.getNode().parameters as Record<string, string>;
		const names = order?.split(' ') ?? [];
		return [
			this.getInputData().map((_item, item) => {
				evaluations = 0;
				let alone = 0;
				const readAlone = (name: string): unknown => {
					alone += 1;
					return this.getNodeParameter(name, item, '', { skipValidation: true });
				};
				const read = together.ofItem(item);
				const values = all(names, (name) =>
					way === 'together' ? read(name, () => readAlone(name)) : readAlone(name),
				);
				return { json: { values, evaluations, alone } };
			}),
		];
	}
}

function all(names: readonly string[], read: (name: string) => unknown): Record<string, string> {
	return Object.fromEntries(
		names.map((name) => {
			try {
				return [name, shown(read(name))];
			} catch (error) {
				const {
					name: kind,
					message,
					description,
					context,
					cause,
				} = error as Error & {
					description?: unknown;
					context?: unknown;
				};
				// An expression that evaluates itself fails when n8n's stack overflows, at a depth that varies.
				const said = message.replace(/^(Expression evaluation failed: )+/, '$1');
				return [name, `throws ${JSON.stringify([kind, said, description, context, cause])}`];
			}
		}),
	);
}

function shown(value: unknown): string {
	if (Object.is(value, -0)) return 'number -0';
	if (typeof value === 'object' && value !== null) {
		const kind = Object.prototype.toString.call(value);
		// Time moves on.
		if (value.constructor?.name === 'DateTime') return 'DateTime';
		const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${shown(member)}`);
		return `${kind} ${value.constructor?.name} {${members.join(', ')}}`;
	}
	return `${typeof value} ${typeof value === 'string' ? JSON.stringify(value) : String(value)}`;
}
