import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { isPlainObject, stringsIn } from '../shared/json';
import { named } from '../shared/text';
import { isSubNode, isTool } from './caller';
import { CALL_WITH } from './text-for-model';

/** What an AI agent calls the node with. */
export interface ToolInput {
	/** The names of what the model has sent. A newer agent adds all of it to the item, also what no field asks for. */
	readonly sent: readonly string[];
	/** How many items the agent has; 0 if that is not known. In a tool, `$('Node').item` is the first one for all of them. */
	readonly items: number;
	/** Whether `$json` is the first one as well, because the agent makes the call itself. */
	readonly isFirstForAll?: boolean;
}

/** The input of a tool; `undefined` if the node is none. */
export function toolInput(context: IExecuteFunctions): ToolInput | undefined {
	if (!isTool(context)) return undefined;
	const [input] = context.getInputData();
	const { $, $fromAI } = context.getWorkflowDataProxy(0) as unknown as Expressions;
	const paired = input?.pairedItem;
	const from = typeof paired === 'object' && !Array.isArray(paired) ? paired.sourceOverwrite : undefined;
	const isFirstForAll = isSubNode(context);
	const items = isFirstForAll
		? context.getExecuteData().data.main?.[0]
		: from && tried(() => $(from.previousNode).all(from.previousNodeOutput, from.previousNodeRun));
	const [item] = items?.length === 1 ? items : [];
	// An older n8n also names the fields of the agent's own item. A field with the same value there is not the model's.
	const isOfItem = (name: string): boolean =>
		item !== undefined && JSON.stringify(item.json[name]) === JSON.stringify(input?.json[name]);
	// $fromAI fails for a name with spaces. Then it counts as sent by the model.
	const isSent = (name: string): boolean => tried(() => $fromAI(name) !== undefined) ?? true;
	const names = Object.keys(input?.json ?? {});
	const sent = names.filter((name) => isSent(name) && !isOfItem(name));
	return { sent, items: items?.length ?? 0, isFirstForAll };
}

/** The call of n8n's function through which a model fills in a value. */
const FROM_AI = /\$from(?:AI|Ai|ai)\s*\(/;

/**
 * The labels of the fields, also of members of collections, that a model fills in.
 *
 * @param saved the parameters as saved in the workflow
 */
export function modelFieldsOf(fields: readonly INodeProperties[], saved: unknown): string[] {
	if (!isPlainObject(saved)) return [];
	return fields.flatMap(({ displayName, name, options = [] }) => {
		if (!stringsIn(saved[name]).some((text) => FROM_AI.test(text))) return [];
		const members = options.filter((option) => 'type' in option);
		// Of a collection, only what it has in the editor: a name that it does not have is the workflow's fault.
		const isOpen = members.length > 0 && isPlainObject(saved[name]);
		return isOpen ? modelFieldsOf(members, saved[name]) : [displayName];
	});
}

function tried<T>(read: () => T): T | undefined {
	try {
		return read();
	} catch {
		return undefined;
	}
}

/** What expressions can use. */
interface Expressions {
	$(node: string): { all(output?: number, run?: number): readonly INodeExecutionData[] };
	$fromAI(name: string): unknown;
}

/** Not checked: the texts, which a model writes, and collections, whose members are checked one by one. */
const FREE = /^(text|newText|message|additionalFields|rareFields|options)$/;

/** In a tool, this is about the first item of the agent. */
const FIRST = /\)\s*\.item\b|\$(?:itemIndex|node)\b/;
const USE_JSON = 'Use {{ $json.email }}, not {{ $("Node").item.json.email }}.';
/** The same where the agent makes the call itself. */
const FIRST_OF_OLD = /\)\s*\.item\b|\$(?:itemIndex|node|json)\b/;
const USE_NEW =
	"Use n8n's AI Agent from version 3 on, or put Loop Over Items with a batch size of 1 before the agent.";

/** The code of an expression, as n8n finds it in a text. */
const CODE = /\{\{[^]*?(?:(?<!\\)\}\}|$)/g;

/**
 * A single field of the item, read by its plain name: `$json.email` or `$json["email"]`. What is called is no field:
 * n8n gives objects methods such as `values()`.
 */
const FIELD =
	/\$json\s*(?:\??\.\s*([\p{L}_$][\p{L}\p{N}_$]*)(?![\p{L}\p{N}_$\\])|(?:\?\.\s*)?\[\s*(?:'([^'\\]*)'|"([^"\\]*)")\s*\])(?!\s*(?:\?\.\s*)?(?:\(|`|\/[*/]))/gu;

/** What else an expression may use, because it reads nothing of the item: $fromAI, other nodes, dates, functions. */
const APART =
	/^\$(?:|fromA[Ii]|fromai|node|execution|workflow|prevNode|itemIndex|runIndex|nodeId|nodeVersion|now|today|tool|vars|env|secrets|if|ifEmpty|min|max|average|not|jmes[Pp]ath)$/;

/**
 * Why a tool may not be called, if a field that decides who gets what may have a value that the workflow does not mean:
 * the model's own, or that of another item. n8n adds what a model sends to the item. So expressions may only read those
 * fields of the item that they name, and that the model has not sent.
 *
 * @param path where the field is in the node: `additionalFields.toName`
 * @param saved the field as saved in the workflow, expressions not resolved
 */
export function refusedReading(
	path: string,
	saved: unknown,
	{ isFirstForAll = false, items, sent }: ToolInput,
): [reason: string, hint: string] | undefined {
	if (FREE.test(path)) return undefined;
	const code = stringsIn(saved)
		.flatMap((text) => (text.startsWith('=') && text.match(CODE)) || [])
		.join('\n');
	if (items !== 1 && (isFirstForAll ? FIRST_OF_OLD : FIRST).test(code)) {
		const all = items === 0 ? 'all' : `all ${items}`;
		return [`would be the same for ${all} items of the agent`, isFirstForAll ? USE_NEW : USE_JSON];
	}
	const names: string[] = [];
	const rest = code.replace(FIELD, (_, ...found: Array<string | undefined>) => {
		names.push(found.slice(0, 3).join(''));
		return '';
	});
	const used = rest.match(/(?<![\w$])\$(?!\d)[\w$]*|\\u|\\x24/gi) ?? [];
	if (!used.every((name) => APART.test(name))) {
		const hint = 'Name the field: {{ $json.email }}. To let the model choose, use $fromAI in the field.';
		return ['reads the whole input, or may, and a model can add to it', hint];
	}
	const overridden = sent.find((each) => names.includes(each));
	if (overridden === undefined) return undefined;
	const hint = 'The model sent a value of its own. To let it choose, use $fromAI in the field.';
	return [`is set by the workflow: ${CALL_WITH}out ${named(overridden)}`, hint];
}
