import { type INodeProperties, NodeHelpers } from 'n8n-workflow';

import { knownIn, placeOf, type Properties } from '../input/parameter-types';
import type { Hidden } from '../input/undeclared';
import { valueAt } from '../shared/json';
import { titleCase } from '../shared/text';

/** What models and hurried people write, and n8n would drop. */
const OTHER_NAMES =
	'attachments bcc binaryPropertyName bodyJson bodyParameters cc channelParameters createOnlyOncePer dedupeKey deduplicationKey dryRun event eventType eventTypes fieldsToUpdate filter filters headerParameters headers html httpMethod idempotencyKey idempotency_key json jsonBody mediaUrl once parse_mode payload preview previewOnly qs query queryParams queryParametersUi replyOnce replyTo replyToMessageId requestBody requestMethod scheduledAt search sendAt sendOnlyOncePer subject templateId test timeoutHours timeoutMinutes triggerOn type uniqueKey validateOnly waitLimit waitTime answerEachMessageOnce';

/**
 * The hidden fields with which a node sees what n8n would drop, to refuse it: the fields of all its operations in each,
 * their members at the top, and the names of other nodes. They come last: n8n then hands a collection over as it is saved,
 * and who searches the description finds the real fields first.
 */
export function hiddenIn(operations: readonly Properties[]): Hidden {
	const known = knownIn(operations.flat()).filter(({ path }) => !path.includes('[]'));
	const top = new Map(known.flatMap(({ field, path }) => (path === field.name ? [[path, field]] : [])));
	const places = new Map(OTHER_NAMES.split(' ').map((name) => [name, 'Has no effect']));
	for (const { field, path } of known) places.set(field.name, `Write ${placeOf(path)} instead`);
	const nested = [...places].flatMap((each) => (top.has(each[0]) ? [] : [hidden(...each)]));
	// The editor evaluates the defaults of all fields. An expression that fails would keep its forms from loading.
	const twins = [...top.values()].filter(
		({ default: standard }) => typeof standard !== 'string' || !standard.startsWith('='),
	);
	return { fields: [...twins.map(twinOf), ...nested] };
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
