/** Gateways that pass nothing on: at a wrong address, where they have no route, and above a limit. The real programs. */
import { endsOf, orders } from '../engine/delivery-lab.mts';
import { apache, caddy, haproxy, location, nginx, proxyPass, reverseProxy } from './configurations.mts';
import { by } from './replacing.mts';
import { testBehindGateways, type Behind } from './runs.mts';

interface Case extends Behind {
	readonly messages: number;
	/** How many may be in doubt at most. */
	readonly mostUnknown: number;
	/** Whether all others are sent, or none. */
	readonly others: 'done' | 'unsent';
}

/** Nothing is there for GET /Me, but whatever were sent would arrive. */
const elsewhere = { messages: 50, mostUnknown: 0, others: 'unsent' } as const;
const sends = '/api/v1/message/';

/** An empty success for whatever comes: until that is seen, a few messages may have left. */
const noRoute = { messages: 300, mostUnknown: 8, others: 'unsent' } as const;

/** A limit of nginx for all that comes. */
const limited = (zone: string, limit: string, most: Pick<Case, 'messages' | 'mostUnknown'>): Case => ({
	...by(
		'nginx',
		limit,
		nginx((place) => `${limit}\n${location(place)}`, zone),
	),
	...{ others: 'done', ...most },
});
const rate = 'limit_req_zone $binary_remote_addr zone=all:1m rate=10r/s;';
const connections = 'limit_conn_zone $binary_remote_addr zone=all:1m;';

const turns = (expected: Omit<Case, keyof Behind>, ...gateway: Parameters<typeof by>): Case => ({
	...by(...gateway),
	...expected,
});

const CASES: readonly Case[] = [
	turns(
		elsewhere,
		'nginx',
		'a 404 page for GET /Me',
		nginx((place) => location(place, sends)),
	),
	turns(
		elsewhere,
		'nginx',
		'a redirect to https for GET /Me',
		nginx((place) => `${location(place, sends)}\nlocation / { return 301 https://$host$request_uri; }`),
	),
	turns(
		elsewhere,
		'haproxy',
		'a 404 page for GET /Me',
		haproxy(`http-request deny deny_status 404 unless { path_beg ${sends} }`),
	),
	turns(
		elsewhere,
		'apache',
		'a 404 page for GET /Me',
		apache((place) => proxyPass(place, sends)),
	),
	turns(
		elsewhere,
		'caddy',
		'an empty 404 for GET /Me',
		caddy((place) => `handle ${sends}* {\n${reverseProxy(place)}\n}\nhandle {\nrespond 404\n}`),
	),
	turns(noRoute, 'caddy', 'an empty 200 where it has no route', caddy(reverseProxy, 'messaging.example.com')),
	turns(noRoute, 'nginx', 'an empty 204', nginx('return 204;')),
	limited(rate, 'limit_req zone=all burst=20;', { messages: 300, mostUnknown: 10 }),
	limited(rate, 'limit_req zone=all burst=3;', { messages: 60, mostUnknown: 12 }),
	limited(rate, 'limit_req zone=all burst=3 nodelay;', { messages: 60, mostUnknown: 8 }),
	limited(rate, 'limit_req zone=all burst=3; limit_req_status 429;', { messages: 60, mostUnknown: 0 }),
	limited(connections, 'limit_conn all 4;', { messages: 300, mostUnknown: 10 }),
	limited(connections, 'limit_conn all 4; limit_conn_status 429;', { messages: 100, mostUnknown: 0 }),
];

testBehindGateways(
	[CASES],
	async (front, { messages }) => {
		const items = orders(messages);
		const run = await front.run(items);
		const { size: arrived } = await front.arrived();
		return { faults: await front.faults(items, run), ends: endsOf(run), arrived };
	},
	({ arrived, ends, faults }, { messages, mostUnknown, others }) => {
		const number = (wanted: string): number => ends.filter((end) => end === wanted).length;
		expect(faults).toEqual([]);
		expect(number('unknown')).toBeLessThanOrEqual(mostUnknown);
		expect(number(others)).toBe(messages - number('unknown'));
		if (others === 'unsent') expect(arrived).toBe(0);
	},
);
