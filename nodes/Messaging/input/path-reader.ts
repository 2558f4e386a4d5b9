import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { templateOf } from './expressions';
import { type ExpressionData, type Path, valueIn } from './paths';

/**
 * Reads parameters without expressions, and those whose expressions are paths, without evaluating anything, because n8n
 * takes long to start an evaluation. A path is looked up in the JSON of the item, or in that of the item which n8n's own
 * data proxy finds for it. The result is the same as from `getNodeParameter` with `skipValidation`, errors included:
 * whatever fails, or is anything but a simple value, is read by n8n. There is one difference: if n8n can't copy another
 * node's item into its isolate, it finds nothing in it, and this reader does.
 */
export class PathReader {
	/** The parameters as saved in the workflow, and what has been read of them, by path. */
	private parameters: Map<string, unknown> | undefined;
	private readonly savedAt = new Map<string, unknown>();

	/** The items whose JSON is what `$json` stands for; empty if n8n shows expressions something else. */
	private items: INodeExecutionData[] | undefined;

	constructor(private readonly context: IExecuteFunctions) {}

	/** Resolves what is saved for one item, if need be with `byN8n`; nothing is looked up before it is needed. */
	ofItem(item: number): (saved: unknown, byN8n: () => unknown) => unknown {
		/** The items that paths begin with. Their JSON is read each time: other expressions may change it. */
		const found = new Map<string, ReturnType<Path['itemIn']>>();
		let data: ExpressionData | undefined;
		const lookUp = (path: Path): unknown => {
			if (path.root === '$json') return valueIn(this.jsonOf(item), path.names);
			if (!found.has(path.root)) found.set(path.root, path.itemIn((data ??= this.dataFor(item))));
			return valueIn(found.get(path.root)?.json, path.names);
		};
		return (saved, byN8n) => {
			if (saved === undefined) return byN8n();
			try {
				return resolved(saved, lookUp);
			} catch {
				// Also if a path fails: then n8n's error names the expression and the field.
				return byN8n();
			}
		};
	}

	/** A parameter as saved in the workflow, or what is at a path in it; `undefined` if there is none. */
	saved(path: string): unknown {
		if (!this.savedAt.has(path)) this.savedAt.set(path, this.readSaved(path));
		return this.savedAt.get(path);
	}

	private readSaved(path: string): unknown {
		this.parameters ??= new Map(Object.entries(this.context.getNode().parameters));
		const [name = '', ...inside] = path.split('.');
		const member = (value: unknown, key: string): unknown => (Object(value) as Record<string, unknown>)[key];
		return inside.reduce(member, this.parameters.get(name)) ?? undefined;
	}

	/** What `$json` stands for. n8n takes long to say so, but mostly it is the item's JSON itself. */
	private jsonOf(item: number): unknown {
		if (this.items === undefined) {
			const items = this.context.getInputData();
			this.items = items[0]?.json === this.dataFor(0).$json ? items : [];
		}
		return this.items[item]?.json ?? this.dataFor(item).$json;
	}

	private dataFor(item: number): ExpressionData {
		return this.context.getWorkflowDataProxy(item) as unknown as ExpressionData;
	}
}

const LEFT_TO_N8N = new Error('n8n resolves this');

/**
 * A copy of a parameter, with each path replaced by what it leads to.
 *
 * @throws if it has another expression, or a path that fails or leads to anything but a simple value
 */
function resolved(saved: unknown, lookUp: (path: Path) => unknown): unknown {
	if (typeof saved === 'object' && saved !== null) {
		const members: Record<string, unknown> = {};
		for (const [key, member] of Object.entries(saved)) members[key] = resolved(member, lookUp);
		return Array.isArray(saved) ? Object.values(members) : members;
	}
	if (typeof saved !== 'string' || !saved.startsWith('=')) return saved;
	const { paths, texts } = templateOf(saved);
	if (paths === undefined) throw LEFT_TO_N8N;
	const values = paths.map(lookUp);
	if (!values.every(isSimple)) throw LEFT_TO_N8N;
	// Only an expression without text around it keeps its type.
	if (values.length === 1 && texts.join('') === '') return values[0];
	return texts.map((text, n) => `${text}${values[n] ?? ''}`).join('');
}

function isSimple(value: unknown): value is string | number | boolean | null {
	return value === null || ['string', 'boolean'].includes(typeof value) || Number.isFinite(value);
}
