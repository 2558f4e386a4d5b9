import type { INodeParameters } from 'n8n-workflow';
import type { FaultRule } from '../../dev/sandbox/types.mts';
import { openDoor } from './gateways.mts';
import { gatewayOf } from './programs.mts';
import type { Behind } from './runs.mts';

/** The most requests of a run in flight. */
const MOST_IN_FLIGHT = 128;

/** One outage, named as in the documentation's table, and what it may cost. */
export interface Scenario extends Behind {
	readonly fault: Omit<FaultRule, 'skip'> | 'nothing listens';
	/** The duration; until the end of the run by default. */
	readonly seconds?: number;
	/** Messages of the run; 2,000 by default. */
	readonly messages?: number;
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

const usual = { open: openDoor, fault: failing, seconds: 5, mostUnknown: inFlightAnd(1) };

/**
 * The service does its work, its answers break off, and Varnish in its default configuration writes a 503 with Retry-After
 * in their place. The number in doubt: those in flight, and one for each try after that.
 */
const behindVarnish = {
	fault: { kind: 'lostResponse' },
	open: gatewayOf('varnish'),
	program: 'varnish',
	seconds: 5,
	messages: 600,
	mostUnknown: inFlightAnd(3),
} as const;

/** The outages in docs/internals/measurements.md. */
export const SCENARIOS: readonly Scenario[] = [
	{ ...usual, name: '502 for 5 seconds', isWaitedOut: true },
	{ ...usual, name: '502 for 5 seconds, with once keys', options: { onceKey } },
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
	{ ...usual, name: 'Lost answers for 5 seconds', fault: { kind: 'lostResponse' } },
	{ ...behindVarnish, name: 'Lost answers behind Varnish for 5 seconds' },
	{
		...behindVarnish,
		name: 'Lost answers behind Varnish for 5 seconds, with once keys',
		options: { onceKey },
	},
	{ ...usual, name: 'No answers for 5 seconds', fault: { kind: 'hang' } },
	{
		open: openDoor,
		name: 'Refused connections for 10 seconds',
		fault: 'nothing listens',
		seconds: 10,
		mostUnknown: inFlightAnd(0),
	},
	{
		open: openDoor,
		name: '502 until Max Wait (10 seconds) is over',
		fault: failing,
		options: { maxWait: 10 },
		mostUnknown: inFlightAnd(0),
		leavesRest: true,
		isWaitedOut: true,
	},
];
