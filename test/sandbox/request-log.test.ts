import { RequestLog } from '../../dev/sandbox/requests/request-log.ts';

const request: Parameters<RequestLog['begin']>[0] = {
	at: '2026-01-01T00:00:00.000Z',
	startedMs: 0,
	method: 'GET',
	path: '/api/v1/channel/ListChannels',
	query: {},
	headers: {},
	bodyText: '',
	body: null,
	operationId: null,
	conforms: true,
	problems: [],
	fault: null,
	status: null,
	accepted: false,
	keyId: null,
	clientClosed: false,
};

test('the last 20,000 requests are kept, however many there were', () => {
	const log = new RequestLog();
	for (let n = 1; n <= 70_000; n++) {
		log.begin(request);
		// Not the list alone: what it is cut from must not grow for ever either.
		if (n % 1000 === 0) expect(log.latest(Infinity).length).toBeLessThanOrEqual(24_000);
	}
	expect(log.list()).toHaveLength(20_000);
	expect(log.list().at(0)?.n).toBe(50_001);
	expect(log.list().at(-1)?.n).toBe(70_000);
	expect(log.latest(2).map(({ n }) => n)).toEqual([70_000, 69_999]);
	expect(log.total).toBe(70_000);
});
