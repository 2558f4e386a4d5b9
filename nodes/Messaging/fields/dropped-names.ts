import { type INodeProperties, NodeHelpers } from 'n8n-workflow';

import type { DroppedNames, Meaning } from '../input/dropped-names';
import { knownIn, type Properties } from '../input/parameter-types';
import { valueAt } from '../shared/json';

const SEND_SEVERAL =
	'A message goes to one recipient. For more, make an item of each recipient with a Split Out node before this one.';
const OTHER_CONTENT =
	'Remove it. If the documentation of your service names such a field, use "additionalFields": { "otherContent": { ... } }.';
const LINK_FILES = 'A message carries no files. Put a link to the file into the text of the message.';
const SEND_LATER =
	'A message is sent at once. To send it later, put a Wait node before this one, or keep it in a table and send it when a Schedule Trigger starts the workflow.';
const NO_TEMPLATES = 'This node has no templates. Write the text of the template into "text".';
const ONE_HEADER =
	'The node has no headers for a single call. The credential can add one to all calls: Add Custom Header ("header": true).';
const USE_PREVIEW =
	'To see what Send would do, use the operation Preview: "resource": "message", "operation": "preview".';
const ONLY_CHANNELS =
	'The changes to watch are "events": [ ... ]. This trigger watches channels. To receive messages, use a Webhook node, then Message > Reply.';

/**
 * What models, hurried people and other nodes write. Each row: the fields of this node that the names may mean or belong to,
 * the names, and what to do instead if no field means the same.
 */
const OTHER_NAMES: ReadonlyArray<readonly [fields: string, names: string, advice?: string]> = [
	[
		'onceKey',
		'createOnlyOncePer dedupKey dedupeKey deduplicationKey idempotencyKey idempotency_key once sendOnlyOncePer uniqueKey',
	],
	['answerOnce', 'answerEachMessageOnce replyOnce'],
	['toEmail toRows', 'phoneNumber recipientPhoneNumber sendTo to'],
	['addressType toType', 'recipientType'],
	['from', 'fromEmail fromName senderName'],
	['contentType', 'messageType'],
	['quote quotedMessage', 'quoteMessage replyToMessageId reply_to_message_id'],
	['deliveryDeadline', 'expiresAt ttl'],
	['limitWaitTime', 'timeoutHours timeoutMinutes waitLimit waitTime'],
	['text message', 'bcc bccEmail bccList cc ccEmail ccList', SEND_SEVERAL],
	['otherContent', 'html parse_mode replyTo subject title', OTHER_CONTENT],
	[
		'text message',
		'attachments attachmentsUi binaryPropertyName file files media mediaLink mediaUrl',
		LINK_FILES,
	],
	['text message', 'scheduledAt scheduledTime sendAfter sendAt', SEND_LATER],
	['text', 'template templateId', NO_TEMPLATES],
	['text', 'dryRun preview previewOnly test validateOnly', USE_PREVIEW],
	['nameContains channelType queryParameters', 'filter filters search'],
	['queryParameters', 'jsonQuery qs query queryParams queryParametersUi sendQuery specifyQuery'],
	['method', 'httpMethod requestMethod verb'],
	['path', 'url'],
	['body', 'bodyJson bodyParameters json jsonBody payload requestBody'],
	['method', 'headerParameters headers jsonHeaders sendHeaders', ONE_HEADER],
	['updateFields', 'fieldsToUpdate updates'],
	['parameters', 'channelParameters'],
	['events', 'event eventName eventType eventTypes notifyOn trigger triggerOn updates watch', ONLY_CHANNELS],
	['channelType', 'type'],
];

/**
 * What a node needs to see the names that n8n would drop. n8n hands over only what is declared for the operation that is
 * chosen, and of a collection only its members. So every name is declared again as a hidden field, for all operations: the
 * fields, the members of collections, and the names of other nodes. These declarations come last, because n8n reads a name
 * by its last declaration, and hands over a hidden field as it is saved.
 */
export function droppedNamesOf(operations: readonly Properties[]): DroppedNames {
	const known = knownIn(operations.flat()).filter(({ path }) => !path.includes('[]'));
	const declared = new Map(known.map(({ field, path }) => [field.name, path]));
	const fields = known.flatMap(({ field, path }) => (path === field.name ? [field] : []));
	const top = new Map(fields.map((field) => [field.name, field]));
	const meanings = new Map<string, Meaning>();
	for (const [meant, names, advice] of OTHER_NAMES) {
		const meaning = { fields: meant.split(' '), advice };
		const isHere = meaning.fields.some((field) => declared.has(field));
		for (const name of isHere ? names.split(' ') : []) meanings.set(name, meaning);
	}
	const others = [...declared.keys(), ...meanings.keys()].filter((name) => !top.has(name));
	return { meanings, fields: [...[...top.values()].flatMap(again), ...[...new Set(others)].map(hidden)] };
}

/** Whether this n8n shows what it would drop. It is asked for a collection that has no members, declared twice. */
export function showsDroppedNames(): boolean {
	const name = 'options';
	const collection: INodeProperties = { displayName: '', name, type: 'collection', default: {}, options: [] };
	const saved = { [name]: { isKept: true } };
	try {
		const fields = [collection, ...again(collection)];
		const shown = NodeHelpers.getNodeParameters(fields, saved, true, false, null, null);
		return valueAt(shown, [name, 'isKept']) === true;
	} catch {
		return false;
	}
}

/** Who reads the description of the node as JSON, as models do, finds the real fields first, and this without a meaning. */
function hidden(name: string): INodeProperties {
	return { displayName: 'Not for Use', name, type: 'hidden', default: '' };
}

/**
 * n8n's editor says of a run with as many items as the parameter `limit` that more may be missing. So only a list may have
 * its default.
 */
const OUTSIDE_LISTS = { default: '', displayOptions: { hide: { operation: ['getAll'] } } };

/** A field as a hidden one, with its default: what is not saved has the default of the last declaration. */
function again({
	default: standard,
	name,
	noDataExpression = false,
	type,
}: INodeProperties): INodeProperties[] {
	// The editor evaluates the defaults of all fields. An expression that fails would keep its forms from loading.
	if (typeof standard === 'string' && standard.startsWith('=')) return [];
	return [
		{
			...hidden(name),
			displayName: 'Not for Other Operations',
			default: type === 'resourceLocator' ? { __rl: true, ...Object(standard) } : standard,
			...(noDataExpression && { noDataExpression }),
			...(name === 'limit' && OUTSIDE_LISTS),
		},
	];
}
