/**
 * What comes out of each operation, as JSON Schemas for the editor: it offers the fields before anything has run. They
 * are made of the interface and of each operation's own `output`, so that they say what really comes.
 */
import type { IDataObject } from 'n8n-workflow';

import { itemOfAnswer } from '../nodes/Messaging/question/answer.ts';
import type { Operation } from '../nodes/Messaging/operations/operation.ts';
import { operations } from '../nodes/Messaging/operations/index.ts';
import { readChannels } from '../nodes/Messaging/trigger/channels.ts';
import { itemOf } from '../nodes/Messaging/trigger/item.ts';
import {
	cases,
	type EndpointId,
	endpointIdOf,
	type OperationId,
	type Parameters,
} from '../test/cases/index.mts';
import { sourceOf } from '../test/cases/source.mts';
import { endpointOf, fullRecord, fullValue, isShown, type Schema } from './interface.mts';

/** A schema as n8n's editor reads it. */
export interface OutputSchema {
	type: string;
	properties?: Record<string, OutputSchema>;
	items?: OutputSchema;
	/** Of the format; at the top only. */
	version?: 1;
}

/**
 * What operations look for in answers that the interface does not show. The key in use is described as any API key is;
 * what else such answers hold passes through, and no schema can name it.
 */
const LOOKED_FOR: Partial<Record<EndpointId, Schema>> = {
	'apiKey.getCurrent': { $ref: 'ApiKey' },
	'message.send': { type: 'object', properties: { messageId: { type: 'string' } } },
};

/**
 * The schemas by their files, below the folder of the node: `__schema__/v<version>/<resource>/<operation>.json`. n8n
 * fills a version up to three numbers, and asks for no other. A node without operations, the trigger, has its own beside
 * the resources.
 */
export function outputSchemas(): Record<string, OutputSchema> {
	const ofOperations = operations.filter(hasSchema).map((operation): [string, OutputSchema] => {
		const { resource, name } = operation;
		return [`__schema__/v1.0.0/${resource}/${name}.json`, outputSchemaOf(operation)];
	});
	return { ...Object.fromEntries(ofOperations), '__schema__/v1.0.0.json': triggerSchema() };
}

/** Whether anything can be known of what an operation gives. The editor takes no schema without a field. */
export function hasSchema({ resource, name }: Operation): boolean {
	return !cases[`${resource}.${name}` as OperationId].traits.includes('any endpoint');
}

/** The schema of the trigger's items. What `before` and `after` hold depends on the event: all of it is named. */
export function triggerSchema(): OutputSchema {
	const [channel] = readChannels([fullRecord('Channel')]).values();
	if (channel === undefined) throw new Error('The trigger does not see a channel that has everything');
	const now = new Date(0).toISOString();
	const { json: created } = itemOf({
		event: 'channelCreated',
		key: '',
		channel,
		before: undefined,
		seenSince: now,
	});
	const sides = { ...(created['after'] as IDataObject), channelStatusId: 7, feedbackChannelId: 'text' };
	return { ...schemaOf({ ...created, before: sides, after: sides }, 'trigger'), version: 1 };
}

/**
 * The schema of an operation's output.
 *
 * @param given parameters in which it differs from what the editor begins with
 */
export function outputSchemaOf(operation: Operation, given: Parameters = {}): OutputSchema {
	const id = `${operation.resource}.${operation.name}` as OperationId;
	const source = sourceOf(operation.fields, { ...cases[id].least.given, ...given });
	const { call, question, output } = operation.compile(source);
	if (operation.previews !== undefined) {
		const shown = { wouldSend: true, recipient: 'text', text: 'text', reason: 'text', notes: ['text'] };
		return {
			...schemaOf({ ...shown, onceKey: 'text', request: call as unknown as IDataObject }, id),
			version: 1,
		};
	}
	// What comes out of an operation that waits is what somebody answers: with the settings of a new node, an approval.
	const [item] =
		question === undefined
			? output(answerTo(id))
			: [itemOfAnswer({ question, item: 0 }, { approved: true }).json];
	if (item === undefined) throw new Error(`${id} gives no item for an answer that has everything`);
	return { ...schemaOf(item, id), version: 1 };
}

/** An answer with everything in it that can be known of it. */
function answerTo(id: OperationId): unknown {
	const endpoint = endpointOf(endpointIdOf(id));
	if (isShown(endpoint)) return fullValue(endpoint.answer);
	const schema = LOOKED_FOR[endpointIdOf(id)];
	return schema && fullValue(schema);
}

/** The schema of a value; objects and lists without a member may have any. */
function schemaOf(value: IDataObject[string], place: string): OutputSchema {
	if (Array.isArray(value)) {
		const [first] = value;
		return { type: 'array', ...(first !== undefined && { items: schemaOf(first, `${place}[]`) }) };
	}
	switch (typeof value) {
		case 'string':
		case 'boolean':
			return { type: typeof value };
		case 'number':
			return { type: Number.isInteger(value) ? 'integer' : 'number' };
		case 'object': {
			if (value === null) break;
			const members = Object.entries(value).map(([name, member]) => [
				name,
				schemaOf(member as IDataObject[string], `${place}.${name}`),
			]);
			return { type: 'object', ...(members.length > 0 && { properties: Object.fromEntries(members) }) };
		}
	}
	throw new Error(`${place} stays empty with an answer that has everything: nothing tells its type`);
}
