/**
 * An n8n that has changed what the node builds on, see "What of n8n this package builds on" in
 * `docs/internals/compatibility.md`.
 */
import { createRequire } from 'node:module';
import type { NodeHelpers } from 'n8n-workflow';
import { core } from './n8n.mts';

const require = createRequire(import.meta.url);

interface Context {
	executeData: { data: object };
	getExecuteData(): object;
	getNextRunIndex(): number;
	getWorkflowDataProxy(item: number): Record<string, unknown>;
	addInputData(...given: unknown[]): unknown;
}

const subNode = core.SupplyDataContext.prototype as unknown as Context;
/** What the contexts of the engine and of sub-nodes have in common. */
const context = Object.getPrototypeOf(core.ExecuteContext.prototype) as Context;

/** Changes what a node finds in n8n's data proxy; expressions find it as ever. */
function changeProxy(changed: (proxy: Record<string, unknown>) => Record<string, unknown>): void {
	const { getWorkflowDataProxy } = context;
	context.getWorkflowDataProxy = function (item) {
		const proxy = getWorkflowDataProxy.call(this, item);
		const own = changed(proxy);
		return new Proxy(proxy, {
			get: (target, name: string) => (name in own ? own[name] : target[name]),
		});
	};
}

const CHANGES = {
	/** The last of several fields with one name does not hand its value over raw. */
	noTwins: () => {
		const helpers = require('n8n-workflow/dist/cjs/node-helpers.js') as typeof NodeHelpers;
		const { getNodeParameters } = helpers;
		const changed: typeof getNodeParameters = (fields, ...rest) => {
			const isTwin = (name: string): boolean => fields.filter((field) => field.name === name).length > 1;
			const kept = fields.filter((field) => field.type !== 'hidden' || !isTwin(field.name));
			return getNodeParameters(kept, ...rest);
		};
		Object.assign(helpers, { getNodeParameters: changed });
	},
	/** The context of a sub-node has no method of its own. */
	noNextRunIndex: () => {
		const { addInputData, getNextRunIndex } = subNode;
		Reflect.deleteProperty(subNode, 'getNextRunIndex');
		subNode.addInputData = function (...given) {
			Object.defineProperty(this, 'getNextRunIndex', { value: getNextRunIndex, configurable: true });
			try {
				return addInputData.apply(this, given);
			} finally {
				Reflect.deleteProperty(this, 'getNextRunIndex');
			}
		};
	},
	/** A sub-node is told that it is itself what the engine executes. */
	ownExecuteData: () => {
		subNode.getExecuteData = function () {
			return { ...this.executeData, node: (this as unknown as { node: object }).node };
		};
	},
	/** A node is given a copy of its input. */
	copiedInput: () => {
		context.getExecuteData = function () {
			return { ...this.executeData, data: structuredClone(this.executeData.data) };
		};
	},
	noItems: () =>
		changeProxy(({ $ }) => ({ $: (name: string) => ({ ...($ as (name: string) => object)(name) }) })),
	noFromAI: () => changeProxy(() => ({ $fromAI: undefined })),
	noRunIndex: () => changeProxy(() => ({ $runIndex: undefined })),
} as const;

/** What n8n may change. */
export type Change = keyof typeof CHANGES;

export function changeN8n(change: Change): void {
	CHANGES[change]();
}
