import { choiceField, flagField, objectField, textField } from '../../fields/builders';
import { includeToken, optionsField, queryParameters, whenUnknown } from '../../fields/options';
import type { Input } from '../../input/input';
import { InvalidParameter } from '../../input/invalid-parameter';
import type { Properties } from '../../input/parameter-types';
import { asJsonList } from '../../input/values';
import type { ApiCall } from '../../service/api-call';
import { defined } from '../../shared/json';
import { defineOperation } from '../operation';
import { withReply } from '../records';

const isGet = { method: ['GET'] };

const fields = [
	choiceField({
		name: 'method',
		description: 'The HTTP method, as the documentation of your service names it',
		default: 'GET',
		noDataExpression: true,
		choices: {
			DELETE: ['DELETE', 'Remove something'],
			GET: ['GET', 'Read something'],
			PATCH: ['PATCH', 'Change a part of something'],
			POST: ['POST', 'Create something, or search'],
			PUT: ['PUT', 'Replace something'],
		},
	}),
	textField({
		name: 'path',
		description:
			'The path of the endpoint, as the documentation of your service names it. It begins with "/" and follows the Base URL of the credential. For a value that may contain a space, a slash or other signs, write {{ encodeURIComponent($json.id) }}.',
		placeholder: '/api/v1/orders, then drag an ID here',
		required: true,
	}),
	queryParameters,
	flagField({
		name: 'sendBody',
		description: 'Whether to send a JSON body with the request',
		displayOptions: { hide: isGet },
	}),
	objectField({
		name: 'body',
		description: 'The body as JSON: an object or a list',
		// With {}, a body under a name that n8n drops, such as that of the HTTP Request node, would go out as {}.
		default: '',
		displayOptions: { show: { sendBody: [true] }, hide: isGet },
		required: true,
		typeOptions: { rows: 6 },
	}),
	flagField({
		name: 'splitItems',
		description:
			'Whether to output one item for each record of a list, so that the next node runs for each of them. The list may be in an envelope such as {"data": [...]}. If off, the answer is one item.',
		default: true,
	}),
	optionsField([includeToken, { ...whenUnknown, displayOptions: { hide: { '/method': ['GET'] } } }]),
] as const satisfies Properties;

/** Calls an endpoint of the service that the interface does not show, by the method and path that the user enters. */
export const callEndpoint = defineOperation({
	displayName: 'Call an Endpoint',
	action: 'Call an endpoint of the service',
	description: 'Call an endpoint that your service documents and this node has no operation for',
	effect: 'asMethod',
	fields,
	compile(input) {
		if (input.source.caller.isTool === true) {
			const hint = 'Choose an operation for what the agent is to do.';
			throw new InvalidParameter('Operation', "can't be Call an Endpoint in a tool of an AI agent", hint);
		}
		const method = input.choice('method');
		const isSplit = input.flag('splitItems');
		const body = method !== 'GET' && input.flag('sendBody') ? bodyIn(input) : undefined;
		// Without the value that selects a record, a change would reach all of them.
		const query = input.rows('queryParameters', method === 'GET' ? undefined : 'expressions');
		const showToken = input.collection('options').flag('includeToken');
		return {
			call: defined<ApiCall>({ method, path: pathIn(input), query, body, lists: isSplit }),
			showToken,
			*output(answer) {
				const records: unknown[] = isSplit && Array.isArray(answer) ? answer : [answer];
				for (const record of records) yield withReply(record);
			},
		};
	},
});

function bodyIn(input: Input<typeof fields>): object {
	const value = input.raw('body');
	const isList = Array.isArray(value) || (typeof value === 'string' && value.trimStart().startsWith('['));
	const list = isList ? asJsonList(value, input.label('body'), '[{"name": "value"}]') : undefined;
	return list ?? input.requiredJsonObject('body');
}

/** A dot in a path, also escaped, once or several times. */
const DOT = '(?:\\.|%(?:25)*2e)';
/** What a path may not have, so that the call goes where the user sees it going: to the service, and to no other path. */
const NO_PATH = new RegExp(
	`^(?!/)|//|[?#\\\\\\p{Cc}\\p{Cs}\\u2028\\u2029]|${DOT}${DOT}|/${DOT}(?:/|$)`,
	'iu',
);

/** The path as it is sent: what is escaped stays so, and what a URL can't hold is. */
function pathIn(input: Input<typeof fields>): string {
	const path = input.requiredText('path').trim();
	if (NO_PATH.test(path)) {
		throw new InvalidParameter(
			input.label('path'),
			'needs a path such as /orders/42, without a host, a query, "..", "//", a backslash or a line break',
			'The Base URL of the credential comes before it. Enter what follows a "?" under Query Parameters ("queryParameters").',
		);
	}
	return path.replace(/%(?![\da-f]{2})|[^\w\-.~!$&'()*+,;=:@/%]+/gi, encodeURIComponent);
}
