import type { INodeParameters } from 'n8n-workflow';
import type { FaultRule } from '../../dev/sandbox/types.mts';
import { hasVarnish, openCache, openVarnish, type OpenGateway } from './gateways.mts';

/** The most requests of a run in flight. */
const MOST_IN_FLIGHT = 128;

/** One outage, and what it may cost. */
export interface Scenario {
	/** The fault, as named in the documentation's table. */
	readonly name: string;
	readonly fault: Omit<FaultRule, 'skip'> | 'nothing listens';
	/** What stands in front of the service; by default, what passes bytes on. */
	readonly gateway?: OpenGateway;
	/** The duration; until the end of the run by default. */
	readonly seconds?: number;
	/** Messages of each run; 2,000 by default. */
	readonly messages?: number;
	/** The keys of the runs that begin at the same time; one by default. */
	readonly runs?: ReadonlyArray<'org' | 'acc'>;
	readonly options?: INodeParameters;
	/** On Error: Stop Workflow, and a retry that continues when the outage is over. */
	readonly stops?: true;
	/** The plan, in requests per second. */
	readonly plan?: number;
	/** The most messages that may be in doubt. */
	readonly mostUnknown: number;
	/** Whether the rest is not sent, because the service does not return in time. */
	readonly leavesRest?: true;
	/** Whether the run reports at its end that it waited. */
	readonly isWaitedOut?: true;
}

const failing = { kind: 'status', status: 502 } as const;
const onceKey = '={{ $json.id }}';

/** The requests in flight at the start of the outage, and one for each time that the service was tried again. */
const inFlightAnd = (tries: number): number => MOST_IN_FLIGHT + tries;

const usual = { fault: failing, seconds: 5, mostUnknown: inFlightAnd(1) };

/**
 * The service does its work, its answers break off, and a cache writes a 503 with Retry-After in their place. The number
 * in doubt: those in flight, and one for each try after that.
 */
const behindCache = {
	fault: { kind: 'lostResponse' },
	seconds: 5,
	messages: 600,
	mostUnknown: inFlightAnd(3),
} as const;
const caches: ReadonlyArray<readonly [name: string, gateway: OpenGateway]> = [
	['a cache', openCache],
	...(hasVarnish ? [['Varnish', openVarnish] as const] : []),
];

/** The outages in docs/internals/measurements.md. */
export const SCENARIOS: readonly Scenario[] = [
	{ ...usual, name: '502 for 2 seconds', seconds: 2, isWaitedOut: true },
	{ ...usual, name: '502 for 5 seconds', isWaitedOut: true },
	{ ...usual, name: '502 for 30 seconds', seconds: 30, isWaitedOut: true },
	{ ...usual, name: '502 for 5 seconds, with once keys', options: { onceKey } },
	{ ...usual, name: '502 for 5 seconds, On Error: Stop, then a retry', stops: true },
	{
		...usual,
		name: '502 for 5 seconds, On Error: Stop, with once keys, then a retry',
		options: { onceKey },
		stops: true,
	},
	{
		...usual,
		name: '502 for 5 seconds, with a plan of 50 per second',
		messages: 500,
		plan: 50,
		mostUnknown: 51,
	},
	{
		...usual,
		name: '502 for 5 seconds, two runs with one key',
		messages: 1000,
		runs: ['org', 'org'],
		mostUnknown: 2 * MOST_IN_FLIGHT + 1,
	},
	{
		...usual,
		name: '502 for 5 seconds, two keys',
		messages: 1000,
		runs: ['org', 'acc'],
		mostUnknown: 2 * inFlightAnd(1),
	},
	{ ...usual, name: 'Resets for 5 seconds', fault: { kind: 'reset' } },
	{ ...usual, name: 'Lost answers for 5 seconds', fault: { kind: 'lostResponse' } },
	...caches.flatMap(([name, gateway]) => [
		{ ...behindCache, gateway, name: `Lost answers behind ${name} for 5 seconds` },
		{
			...behindCache,
			gateway,
			name: `Lost answers behind ${name} for 5 seconds, with once keys`,
			options: { onceKey },
		},
	]),
	{ ...usual, name: 'No answers for 5 seconds', fault: { kind: 'hang' } },
	{
		name: 'Refused connections for 10 seconds',
		fault: 'nothing listens',
		seconds: 10,
		mostUnknown: inFlightAnd(0),
	},
	// Tries at once, and after 1, 3, 7, 15 and 30 seconds.
	{
		name: '`/Me` answers, sends fail for 30 seconds',
		fault: { ...failing, path: 'SendMessage' },
		seconds: 30,
		isWaitedOut: true,
		mostUnknown: inFlightAnd(5),
	},
	{
		name: 'One poisoned message in 200',
		fault: { ...failing, bodyContains: '00.' },
		messages: 1000,
		mostUnknown: 10,
	},
	{
		name: '502 until Max Wait (10 seconds) is over',
		fault: failing,
		options: { maxWait: 10 },
		mostUnknown: inFlightAnd(0),
		leavesRest: true,
		isWaitedOut: true,
	},
];
