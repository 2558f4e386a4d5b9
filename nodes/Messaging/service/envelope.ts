import { isPlainObject } from '../shared/json';
import { type ApiCall, readsOnly } from './api-call';
import type { Reply } from './reply';

/** Members of an envelope that may hold the record or the list. */
const MEMBERS = ['data', 'result', 'value', 'items', 'results', 'records', 'channels', 'accounts'];

/** How deep in an answer the record or the list may be. */
const DEEPEST_MEMBER = 2;

/** Names in records of the interface. `status` is left out: there it is an object, and text in many an envelope. */
const OF_ACCOUNT =
	'accountId name description createdAt organization channelCount deviceRunningCount channelConnectedCount financialManagerCount apiKeyCount';
const OF_CHANNEL =
	'channelId feedbackChannelId name description accountId organizationId account channelType provider parameters createdAt devices deviceRunningCount isConnected stateUpdatedAt feedbackChannelSummary channelsSendingFeedback';
const OF_KEY =
	'id apiKeyId name description apiKey createdAt accountId organizationId resourcePlan account organization type';
const OF_ENTRY =
	'httpSenderOutboxEntryId organizationId accountId channelId channelType provider priority httpSenderOutboxStatusId statusName url contentType correlationId requestMetamodel responseBody responseStatusCode curlCommand traceParent retryCount createdAt sentAt failedAt lastRetryAt';
const OF_MESSAGE = 'packageId channelId messageId correlationId originPackageId content';

/** By the end of the path: the names in the records that a call answers with, and what the list holds if it reads one. */
const RECORDS: ReadonlyArray<readonly [path: RegExp, names: string, list?: string]> = [
	[/\/Admin\/Account$/, OF_ACCOUNT, 'accounts'],
	[/\/Admin\/Channel(?:\/[^/]+\/parameters)?$|\/CreateChannel$/, OF_CHANNEL, 'channels'],
	[/\/Me$|\/Admin\/ApiKey\/[^/]+$/, OF_KEY],
	[/\/outbox\/[^/]+$/, OF_ENTRY],
	[/\/SendMessage$/, OF_MESSAGE],
];

/** Names that the interface's records have. Of an endpoint that it does not show, an object with one is a record. */
const OF_ANY = [...new Set(RECORDS.flatMap(([, names]) => names.split(' ')))];

/** What a call answers with according to the interface; `undefined` if the interface does not show it. */
function expectedOf(call: ApiCall) {
	if (call.lists !== undefined) return call.lists ? { names: OF_ANY, list: 'records' } : undefined;
	const [, names, list] = RECORDS.find(([path]) => path.test(call.path)) ?? [];
	if (names === undefined) return undefined;
	return { names: names.split(' '), list: readsOnly(call) ? list : undefined };
}

/** What the list holds that a call reads, such as "channels"; `undefined` if it reads none. */
export function listNameOf(call: ApiCall): string | undefined {
	return expectedOf(call)?.list;
}

/**
 * The record or the list in an answer: the body itself, or a member of an envelope around it. The interface has no
 * envelopes, but many services and gateways do. Without any such member, it is the body as it came.
 */
export function contentOf(body: unknown, call: ApiCall): unknown {
	const expected = expectedOf(call);
	if (expected === undefined || !isPlainObject(body)) return body;
	const { list, names } = expected;
	/** What was asked for in this value: the value itself, or a member of it that is at most so many levels deeper. */
	const find = (value: unknown, deeper: number): unknown => {
		const isRecord = isPlainObject(value) && names.some((name) => Object.hasOwn(value, name));
		if (list === undefined ? isRecord : Array.isArray(value)) return value;
		if (isRecord || deeper === 0 || !isPlainObject(value)) return undefined;
		const found = MEMBERS.map((name) => find(value[name], deeper - 1)).filter((each) => each !== undefined);
		// With two of them, nothing says which one was asked for.
		return found.length === 1 ? found[0] : undefined;
	};
	return find(body, DEEPEST_MEMBER) ?? body;
}

/** Names of a total beside or around a list, in `X-Pagination` too. */
const TOTAL =
	/^(?:@odata\.)?(?:total|count|total[-_]?(?:count|elements|items|number|records|results|size))$/i;

/** Whether a `Link` header has a link to the next page: RFC 8288. It is split, because a pattern would take long. */
function hasNextLink(links: string): boolean {
	return links.split(/[;,]/).some((part) => {
		const [name = '', ...value] = part.toLowerCase().split('=');
		const relations = value.join('=').replaceAll('"', ' ').trim().split(/\s+/);
		return name.trim() === 'rel' && relations.includes('next');
	});
}

/** What the service sent of a list (`content`) that says that it is not whole; `undefined` if nothing says so. */
export function cutIn({ headers, body }: Reply, content: unknown, call: ApiCall): string | undefined {
	const list = listNameOf(call);
	if (list === undefined || !Array.isArray(content)) return undefined;
	const inPagination = /"(\w+)"\s*:\s*(\d+)/g;
	const named = [
		...Array.from((headers['x-pagination'] ?? '').matchAll(inPagination), ([, name, total]) => [name, total]),
		...(isPlainObject(body) ? [body, ...Object.values(body)] : []).flatMap((around) =>
			isPlainObject(around) ? Object.entries(around) : [],
		),
	].flatMap(([name, total]) => (TOTAL.test(String(name)) ? [total] : []));
	const totals = [headers['x-total-count'], ...named]
		.map(Number)
		.filter((total) => Number.isSafeInteger(total) && total > content.length);
	if (totals.length > 0) return `The service sent ${content.length} of ${Math.max(...totals)} ${list}`;
	if (!hasNextLink(headers.link ?? '')) return undefined;
	return `The service sent ${content.length} ${list}, and has more`;
}
