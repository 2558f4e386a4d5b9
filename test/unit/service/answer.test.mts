import { endpointOf, fullRecord } from '../../../api/interface.mts';
import { answerIn } from '../../../nodes/Messaging/service/answer.ts';
import type { ApiCall } from '../../../nodes/Messaging/service/api-call.ts';
import { isFailure } from '../../../nodes/Messaging/service/endings.ts';
import type { Reply } from '../../../nodes/Messaging/service/reply.ts';
import { ids } from '../../cases/values.mts';

const send: ApiCall = { method: 'POST', path: '/api/v1/message/SendMessage', body: {} };
const edit: ApiCall = { method: 'PUT', path: '/api/v1/message/EditMessage', body: {} };
const me: ApiCall = { method: 'GET', path: '/api/v1/Me' };
const channels: ApiCall = { method: 'GET', path: '/api/v1/Admin/Channel' };
const accounts: ApiCall = { method: 'GET', path: '/api/v1/Admin/Account' };
const newAccount: ApiCall = { method: 'POST', path: '/api/v1/Admin/Account', body: {} };

const answered = (body: unknown, call = send, headers: Record<string, string> = {}, status = 200) =>
	answerIn({ status, headers, body }, call, true);

/** The body that the rest of the node gets. */
const bodyOf = (body: unknown, call: ApiCall): unknown => (answered(body, call) as Reply).body;

describe('a 2xx that says no', () => {
	test.each<[what: string, body: unknown, message: string]>([
		['success', { success: false, message: 'Channel is not connected' }, 'Channel is not connected'],
		['Success', { Success: false, message: 'No' }, 'No'],
		['succeeded', { succeeded: false, detail: 'Too long' }, 'Too long'],
		['successful', { successful: false, error: 'No' }, 'No'],
		['isSuccess', { isSuccess: false, error: 'No' }, 'No'],
		['OK', { OK: false }, 'The service answered with status 201 and gave no reason'],
		['false alone', false, 'The service answered with status 201 and gave no reason'],
		['problem details without a title', { status: 500, title: '', detail: 'Broken' }, 'Broken'],
	])('in %s is rejected, with its reason', (_what, body, message) => {
		for (const call of [send, edit, me, channels]) {
			const failure = answered(body, call, {}, 201);
			expect(failure).toMatchObject({ outcome: 'rejected', cause: 'refused', statusCode: 201, message });
			expect(failure).toMatchObject({ problem: typeof body === 'object' ? body : null });
		}
	});

	test('in its content type is rejected', () => {
		const headers = { 'content-type': 'Application/Problem+JSON; charset=utf-8' };
		expect(answered({ instance: '/x' }, send, headers)).toMatchObject({ outcome: 'rejected' });
		expect(isFailure(answered(undefined, send, headers))).toBe(false);
	});

	test.each<[what: string, body: unknown]>([
		['a status of its own', { status: 400 }],
		['a status below 400', { status: 202, title: 'Accepted' }],
		['a status as text', { status: '500', title: 'Broken' }],
		['false as text', { success: 'false' }],
		['false deeper inside', { data: { success: false }, content: { ok: false } }],
		['false in another member', { sent: false, error: true }],
		['false in a list', [{ success: false }, false]],
	])('does not say it with %s', (_what, body) => {
		expect(isFailure(answered(body))).toBe(false);
	});
});

test.each(['text/html', 'image/png', undefined])('an empty 2xx is a success with type %j', (type) => {
	for (const status of [200, 201, 204]) {
		const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
		expect(answered(undefined, send, headers, status)).toMatchObject({ status, body: undefined });
	}
});

describe('an envelope', () => {
	const record = { accountId: ids.account, name: 'Mine' };
	const list = [{ channelId: ids.channel }, {}];

	test.each(['data', 'result', 'value', 'items', 'results', 'records', 'channels', 'accounts'])(
		'may hold a list or a record in "%s", also one step deeper',
		(name) => {
			expect(bodyOf({ [name]: list, more: [1] }, channels)).toBe(list);
			expect(bodyOf({ [name]: { items: list } }, channels)).toBe(list);
			expect(bodyOf({ data: { [name]: list } }, channels)).toBe(list);
			expect(bodyOf({ success: true, [name]: record }, newAccount)).toBe(record);
			expect(bodyOf({ data: { [name]: record } }, newAccount)).toBe(record);
			expect(bodyOf({ [name]: [] }, accounts)).toEqual([]);
		},
	);

	test.each<[call: ApiCall, id: string, schema: string]>([
		[newAccount, 'account.create', 'Account'],
		[{ ...newAccount, path: '/api/v1/message/Configure/CreateChannel' }, 'channel.create', 'Channel'],
		[{ ...edit, path: `/api/v1/Admin/Channel/${ids.channel}/parameters` }, '', 'Channel'],
		[{ ...edit, path: `/api/v1/Admin/ApiKey/${ids.key}` }, 'apiKey.update', 'ApiKey'],
		[me, 'apiKey.getCurrent', 'ApiKey'],
		[{ ...me, path: `/api/v1/admin/channel/${ids.channel}/outbox/${ids.entry}` }, '', 'OutboxEntry'],
	])('of %j is known by its not having a single name of the record', (call, _id, schema) => {
		const whole = fullRecord(schema);
		expect(bodyOf({ status: 'success', data: whole }, call)).toBe(whole);
		for (const [name, value] of Object.entries(whole).filter(([own]) => own !== 'status')) {
			const own = { [name]: value, data: whole };
			expect(bodyOf(own, call)).toBe(own);
			expect(bodyOf({ data: { [name]: null } }, call)).toEqual({ [name]: null });
		}
	});

	test('of a message gives its id', () => {
		const inner = { messageId: 'm' };
		expect(bodyOf({ timestamp: 'now', data: inner }, send)).toBe(inner);
	});

	test.each<[what: string, body: unknown, call: ApiCall]>([
		['two lists', { data: list, items: list }, channels],
		['something else in the member', { data: { total: 1 } }, newAccount],
		['it two steps deeper', { data: { data: { data: list } } }, channels],
		['a list where a record is expected', { data: [record] }, newAccount],
		['the record beside a list', { channelId: ids.channel, items: list }, channels],
		['an answer that the interface does not show', { data: record }, edit],
	])('is none with %s: the answer passes on as it came', (_what, body, call) => {
		expect(bodyOf(body, call)).toBe(body);
	});

	test.each([undefined, null, 'Accepted', 5, [], {}])('is not looked for in %j', (body) => {
		for (const call of [send, channels]) expect(bodyOf(body, call)).toBe(body);
	});
});

describe('a list that says that it is not whole', () => {
	const two = [{ channelId: ids.channel }, { channelId: ids.feedback }];
	const cutOf = (body: unknown, headers: Record<string, string> = {}, call = channels) =>
		(answered(body, call, headers) as Reply).cut;
	const said = 'The service sent 2 of 120 channels';

	test.each<[what: string, body: unknown, headers: Record<string, string>]>([
		['in X-Total-Count', two, { 'x-total-count': '120' }],
		['in X-Pagination', two, { 'x-pagination': '{"TotalCount":120,"PageSize":2,"TotalPages":60}' }],
		['beside the list', { items: two, total: 120 }, {}],
		['as total_count', { data: two, total_count: 120 }, {}],
		['as count', { count: 120, next: 'https://x', results: two }, {}],
		['by OData', { '@odata.count': 120, value: two }, {}],
		['as text', { items: two, totalItems: '120' }, {}],
		['in an object of its own', { data: two, meta: { total: 120, page: 1 } }, {}],
		['in two places', { items: two, count: 2, page: { totalElements: 120 } }, { 'x-total-count': '7' }],
	])('%s: how much of it came', (_what, body, headers) => {
		expect(cutOf(body, headers)).toBe(said);
	});

	test.each([
		'<https://x/?page=2>; rel="next"',
		'<a>; rel="prev", <b>;  rel="last next"',
		'<a>; title="x"; Rel = NEXT',
		`<a>; rel=${' '.repeat(300_000)}, <b>; rel="next"`,
	])('by the link %.60s: that there is more', (link) => {
		expect(cutOf(two, { link }, accounts)).toBe('The service sent 2 accounts, and has more');
	});

	test.each<[what: string, body: unknown, headers?: Record<string, string>, call?: ApiCall]>([
		['nothing that says so', two],
		['as many as it says', { items: two, total: 2 }, { 'x-total-count': '2' }],
		['fewer', { items: two, count: 1 }],
		[
			'totals that are none',
			{ items: two, total: null, count: 'many' },
			{ 'x-total-count': '', 'x-pagination': '{' },
		],
		['an endless one', { items: two, total: Infinity }, { 'x-total-count': '1e999' }],
		['a number of pages', { items: two, totalPages: 60, pageCount: 60 }],
		['the last page', two, { link: '<https://x/next>; rel="prev", <y>; rel="next-archive"' }],
		['an address that looks like it', two, { link: '<https://x/?a;rel=next>; rel="prev"' }],
		['a long row of nothing', two, { link: `<a>; rel=${' '.repeat(300_000)}x` }],
		['totals inside a record', [{ ...two[0], total: 120, devices: { count: 9 } }, two[1]]],
		['no list', { channelId: ids.channel, total: 120 }],
		['an answer to another call', { data: two, total: 120 }, { 'x-total-count': '120' }, send],
	])('is not seen in %s', (_what, body, headers = {}, call = channels) => {
		expect(cutOf(body, headers, call)).toBeUndefined();
	});
});

describe('a list that is no valid JSON', () => {
	const json = { 'content-type': 'application/json; v=1.0' };

	test.each<[what: string, body: string, headers?: Record<string, string>]>([
		['a raw tab', '[{"name":"a\tb"}]'],
		['NaN', '[{"deviceRunningCount":NaN}]', { 'content-type': 'text/plain' }],
		['an end in the middle', '{"items":[{"name":"a"}', {}],
	])('with %s is an error, and not a single item', (_what, body, headers = json) => {
		for (const call of [channels, accounts]) {
			expect(answered(body, call, headers)).toMatchObject({
				...{ outcome: 'rejected', cause: 'refused', statusCode: 200, problem: null },
				message: 'The list of the service can not be read: it is no valid JSON',
			});
		}
		// A success is a success whatever its body.
		for (const call of [send, edit]) expect(isFailure(answered(body, call, headers))).toBe(false);
	});

	test('is not what is plain text', () => {
		for (const text of ['None', '']) expect(answered(text, channels, json)).toMatchObject({ body: text });
	});
});

test('the calls of the interface that list records are those that may be cut', () => {
	expect(endpointOf('channel.getAll').template).toBe(channels.path);
	expect(endpointOf('account.getAll').template).toBe(accounts.path);
});

test('a list of more than a million records is too large, also in an envelope', () => {
	const list = Array.from({ length: 1_000_001 }, () => 1);
	const search: ApiCall = { method: 'POST', path: '/search', body: {}, lists: true };
	for (const body of [list, { data: list }]) {
		expect(answered(body, channels)).toMatchObject({ outcome: 'rejected' });
		expect(answered(body, search)).toMatchObject({ outcome: 'unknown' });
	}
	expect(bodyOf(list.slice(1), search)).toHaveLength(1_000_000);
});
