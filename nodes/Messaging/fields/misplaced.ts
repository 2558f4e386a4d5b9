import { type INodeProperties, NodeHelpers } from 'n8n-workflow';

import { knownIn, placeOf, type Properties } from '../input/parameter-types';
import type { Hidden } from '../input/undeclared';
import { valueAt } from '../shared/json';
import { titleCase } from '../shared/text';

/** What models and hurried people call fields of this node, whichever the operation has; '' for what none has. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
	onceKey:
		'createOnlyOncePer dedupeKey deduplicationKey idempotencyKey idempotency_key once sendOnlyOncePer uniqueKey',
	answerOnce: 'answerEachMessageOnce replyOnce',
	limitWaitTime: 'timeoutHours timeoutMinutes waitLimit waitTime',
	otherContent:
		'attachments bcc binaryPropertyName cc html mediaUrl parse_mode replyTo scheduledAt sendAt subject templateId',
	'quote quotedMessage': 'replyToMessageId',
	'nameContains channelType': 'filter filters search',
	queryParameters: 'qs query queryParams queryParametersUi',
	method: 'httpMethod requestMethod',
	body: 'bodyJson bodyParameters json jsonBody payload requestBody',
	updateFields: 'fieldsToUpdate',
	parameters: 'channelParameters',
	events: 'event eventType eventTypes triggerOn',
	channelType: 'type',
	'': 'headerParameters headers',
};

/** What people call a switch that keeps a message from being sent. It is an operation, of the node that has texts to send. */
const SWITCHES = ['dryRun', 'preview', 'previewOnly', 'test', 'validateOnly'];
const USE_PREVIEW =
	'To see what Send would do, use the operation Preview: "resource": "message", "operation": "preview".';

/**
 * The hidden fields with which a node sees what n8n would drop, to refuse it: the fields of all its operations in each,
 * their members at the top, and the names of other nodes. They come last: n8n then hands a collection over as it is saved,
 * and who searches the description finds the real fields first.
 */
export function hiddenIn(operations: readonly Properties[]): Hidden {
	const known = knownIn(operations.flat()).filter(({ path }) => !path.includes('[]'));
	const top = new Map(known.flatMap(({ field, path }) => (path === field.name ? [[path, field]] : [])));
	const meaning = new Map<string, readonly string[]>();
	const places = new Map<string, string>();
	for (const [targets, names] of Object.entries(OTHER_NAMES)) {
		const path = known.find(({ field }) => targets.split(' ').includes(field.name))?.path;
		for (const name of path === undefined && targets !== '' ? [] : names.split(' ')) {
			meaning.set(name, targets.split(' '));
			places.set(name, path === undefined ? 'Has no effect' : `Write ${placeOf(path)} instead`);
		}
	}
	const switches = top.has('text') ? SWITCHES : [];
	for (const name of switches) places.set(name, USE_PREVIEW);
	for (const { field, path } of known) {
		if (!places.has(field.name)) places.set(field.name, `Write ${placeOf(path)} instead`);
	}
	const nested = [...places].flatMap((each) => (top.has(each[0]) ? [] : [hidden(...each)]));
	// The editor evaluates the defaults of all fields. An expression that fails would keep its forms from loading.
	const twins = [...top.values()].filter(
		({ default: standard }) => typeof standard !== 'string' || !standard.startsWith('='),
	);
	const advice = new Map(switches.map((name) => [name, USE_PREVIEW]));
	return { meaning, advice, fields: [...twins.map(twinOf), ...nested] };
}

/** Whether this n8n shows what it would drop. It is asked for a collection that has no members, and its twin. */
export function showsDropped(): boolean {
	const name = 'options';
	const collection: INodeProperties = { displayName: '', name, type: 'collection', default: {}, options: [] };
	const twins = [collection, { ...hidden(name, ''), default: {} }];
	const saved = { [name]: { isKept: true } };
	try {
		const shown = NodeHelpers.getNodeParameters(twins, saved, true, false, null, null);
		return valueAt(shown, [name, 'isKept']) === true;
	} catch {
		return false;
	}
}

function hidden(name: string, description: string): INodeProperties {
	return { displayName: `Misplaced ${titleCase(name)}`, name, type: 'hidden', default: '', description };
}

/**
 * n8n's editor says of a run with as many items as the parameter `limit` that more may be missing. So only a list may have
 * its default.
 */
const OUTSIDE_LISTS = { default: '', displayOptions: { hide: { operation: ['getAll'] } } };

/** Of a field, in all operations. What is not saved has the default of the field, which n8n takes from the twin. */
function twinOf({
	default: standard,
	name,
	noDataExpression = false,
	type,
}: INodeProperties): INodeProperties {
	return {
		...hidden(name, 'Shows the node what n8n would drop'),
		default: type === 'resourceLocator' ? { __rl: true, ...Object(standard) } : standard,
		...(noDataExpression && { noDataExpression }),
		...(name === 'limit' && OUTSIDE_LISTS),
	};
}
