/** Small nodes for test workflows, in place of those of a full n8n. */
import type {
	EngineResponse,
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { Barest } from '../../bench/barest-node.mts';
import { n8n } from './n8n.mts';
import { Reads } from './reading-node.mts';

function describe(
	name: string,
	group: 'trigger' | 'transform',
	properties: INodeProperties[],
	outputNames: string[] = [],
): INodeTypeDescription {
	const { Main } = n8n.NodeConnectionTypes;
	return {
		displayName: name,
		name,
		group: [group],
		version: 1,
		description: name,
		defaults: { name },
		inputs: group === 'trigger' ? [] : [Main],
		outputs: outputNames.length > 0 ? outputNames.map(() => Main) : [Main],
		...(outputNames.length > 0 ? { outputNames } : {}),
		properties,
	};
}

/** Outputs its input, or the items that the execution starts with. */
const start: INodeType = {
	description: describe('start', 'trigger', []),
	async execute(this: IExecuteFunctions) {
		return [this.getInputData()];
	},
};

/** Gives each item the JSON of its `json` parameter. */
const set: INodeType = {
	description: describe('set', 'transform', [
		{ displayName: 'JSON', name: 'json', type: 'json', default: '{}' },
	]),
	async execute(this: IExecuteFunctions) {
		return [
			this.getInputData().map((_item, index) => {
				const value = this.getNodeParameter('json', index) as IDataObject | string;
				const json = typeof value === 'string' ? (JSON.parse(value) as IDataObject) : value;
				return { json, pairedItem: { item: index } };
			}),
		];
	},
};

/** How n8n's nodes make other items of their input, and say which ones they are made of. */
const reshaped = {
	'Edit Fields': ([items]) => items.map(({ json }, item) => ({ json, pairedItem: { item } })),
	'Split Out': ([items]) =>
		items.flatMap(({ json }, item) =>
			[0, 1].map((part) => ({ json: { ...json, part }, pairedItem: { item } })),
		),
	Aggregate: ([items]) => [
		{ json: { data: items.map(({ json }) => json) }, pairedItem: items.map((_item, item) => ({ item })) },
	],
	'Merge, Append': (inputs) =>
		inputs.flatMap((items, input) => items.map(({ json }, item) => ({ json, pairedItem: { item, input } }))),
	'Merge, Combine': ([items, others]) =>
		items.map(({ json }, item) => ({
			json: { ...others[item]?.json, ...json },
			pairedItem: [
				{ item, input: 0 },
				{ item, input: 1 },
			],
		})),
	/** Twice as many, so that n8n can't tell either. */
	'says nothing': ([items]) => [...items, ...items].map(({ json }) => ({ json })),
} satisfies Record<string, (inputs: [INodeExecutionData[], INodeExecutionData[]]) => INodeExecutionData[]>;

/** The ways in which the node `reshape` makes its items. */
export type Reshaping = keyof typeof reshaped;

const reshape: INodeType = {
	description: {
		...describe('reshape', 'transform', [{ displayName: 'As', name: 'as', type: 'string', default: '' }]),
		inputs: ['main', 'main'],
	},
	async execute(this: IExecuteFunctions) {
		const as = this.getNodeParameter('as', 0) as Reshaping;
		return [reshaped[as]([this.getInputData(0), this.getInputData(1)])];
	},
};

interface LoopContext extends IDataObject {
	waiting?: INodeExecutionData[];
	processed?: INodeExecutionData[];
}

/** Outputs its items in batches, as n8n's Loop Over Items does: output 0 is "done", output 1 "loop". */
const loop: INodeType = {
	description: describe(
		'loop',
		'transform',
		[{ displayName: 'Batch Size', name: 'batchSize', type: 'number', default: 1 }],
		['done', 'loop'],
	),
	async execute(this: IExecuteFunctions) {
		const context = this.getContext('node') as LoopContext;
		// A batch is output in a later run than its items arrived in, so each item needs its source run.
		const sourceOverwrite = this.getInputSourceData();
		const items = this.getInputData().map((item, index) => ({
			...item,
			pairedItem: { item: index, sourceOverwrite },
		}));
		if (context.waiting === undefined) {
			context.waiting = items;
			context.processed = [];
		} else {
			context.processed = [...(context.processed ?? []), ...items];
		}
		const batch = context.waiting.splice(0, this.getNodeParameter('batchSize', 0) as number);
		return batch.length === 0 ? [context.processed ?? [], []] : [[], batch];
	},
};

/** Passes its items on in its first runs, so that a workflow that leads back to itself ends. */
const firstRuns: INodeType = {
	description: describe('firstRuns', 'transform', [
		{ displayName: 'Runs', name: 'runs', type: 'number', default: 1 },
	]),
	async execute(this: IExecuteFunctions) {
		const context = this.getContext('node') as { runs?: number };
		context.runs = (context.runs ?? 0) + 1;
		return [context.runs <= (this.getNodeParameter('runs', 0) as number) ? this.getInputData() : []];
	},
};

interface Tool {
	invoke(given: IDataObject): Promise<unknown>;
}

/** What the agents below do: they call the tool connected to them, each time with the next of these arguments. */
const turns: INodeProperties[] = [
	{ displayName: 'Turns', name: 'turns', type: 'json', default: [] },
	{ displayName: 'Tool', name: 'tool', type: 'string', default: '' },
];

/** Makes all calls itself, at once, as n8n's AI Agent 2 does. Of an error, its model reads an empty text. */
const oldAgent: INodeType = {
	description: { ...describe('oldAgent', 'transform', turns), inputs: ['main', 'ai_tool'] },
	async execute(this: IExecuteFunctions) {
		const [tool] = (await this.getInputConnectionData('ai_tool', 0)) as Tool[];
		const calls = (this.getNodeParameter('turns', 0) as IDataObject[]).map(async (given) => {
			try {
				return { json: { read: await tool?.invoke(given) } };
			} catch {
				return { json: { read: '' } };
			}
		});
		return [(await Promise.all(calls)) as INodeExecutionData[]];
	},
};

/** Has the engine make the calls, one after the other, as n8n's AI Agent 3 does. */
const agent: INodeType = {
	description: { ...describe('agent', 'transform', turns), inputs: ['main', 'ai_tool'] },
	async execute(this: IExecuteFunctions, response?: EngineResponse<{ read?: string[] }>) {
		const results = (response?.actionResponses ?? []).map(({ data }) =>
			JSON.stringify(data.data?.['ai_tool']?.[0]?.map(({ json }) => json) ?? data.error?.message),
		);
		const read = [...(response?.metadata.read ?? []), ...results];
		const input = (this.getNodeParameter('turns', 0) as IDataObject[])[read.length];
		if (input === undefined) return [read.map((text) => ({ json: { read: text } }))];
		const call = {
			actionType: 'ExecutionNodeAction' as const,
			nodeName: this.getNodeParameter('tool', 0) as string,
			input,
			type: 'ai_tool' as const,
			id: `call-${read.length}`,
			metadata: { itemIndex: 0 },
		};
		return { actions: [call], metadata: { read } };
	},
};

/** A node as n8n offers it to agents. */
export function asTool(type: INodeType): INodeType {
	const { description } = type;
	return Object.create(type, {
		description: {
			value: { ...description, name: `${description.name}Tool`, inputs: [], outputs: ['ai_tool'] },
		},
	}) as INodeType;
}

/** The helper nodes; workflows name them `harness.<name>`. */
export const helperNodes: Record<string, INodeType> = {
	...{ start, set, reshape, loop, firstRuns, oldAgent, agent },
	barest: new Barest(),
	reads: new Reads(),
};

/** The prefix of a helper node's type in a workflow. */
export const helperPackage = 'harness';
