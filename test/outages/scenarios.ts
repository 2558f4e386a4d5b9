import type { INodeParameters } from 'n8n-workflow';
import type { FaultRule } from '../../dev/sandbox/types.ts';

/** The most requests of a run in flight. */
const MOST_IN_FLIGHT = 128;

/** One outage, and what it may cost. */
export interface Scenario {
	/** The fault, as named in the documentation's table. */
	readonly name: string;
	readonly fault: Omit<FaultRule, 'skip'> | 'nothing listens';
	/** The duration; until the end of the run by default. */
	readonly seconds?: number;
	/** Messages of each run; 2,000 by default. */
	readonly messages?: number;
	/** The API keys of the runs, which begin at the same time; one run by default. */
	readonly runs?: ReadonlyArray<'org' | 'acc'>;
	readonly options?: INodeParameters;
	/** With a once key for each message. */
	readonly keyed?: true;
	/** On Error: Stop Workflow, and a retry when the outage is over. */
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
const failingSends = { ...failing, path: 'SendMessage' } as const;

/** The requests in flight at the start of the outage, and one for each time that the service was tried again. */
const inFlightAnd = (tries: number): number => MOST_IN_FLIGHT + tries;

/** The outages in docs/reliability.md. */
export const SCENARIOS: readonly Scenario[] = [
	{ name: '502 for 2 seconds', fault: failing, seconds: 2, isWaitedOut: true, mostUnknown: inFlightAnd(1) },
	{ name: '502 for 5 seconds', fault: failing, seconds: 5, isWaitedOut: true, mostUnknown: inFlightAnd(1) },
	{ name: '502 for 30 seconds', fault: failing, seconds: 30, isWaitedOut: true, mostUnknown: inFlightAnd(1) },
	{
		name: '502 for 5 seconds, with once keys',
		fault: failing,
		seconds: 5,
		keyed: true,
		mostUnknown: inFlightAnd(1),
	},
	{
		name: '502 for 5 seconds, On Error: Stop, then a retry',
		fault: failing,
		seconds: 5,
		stops: true,
		mostUnknown: inFlightAnd(1),
	},
	{
		name: '502 for 5 seconds, On Error: Stop, with once keys, then a retry',
		fault: failing,
		seconds: 5,
		keyed: true,
		stops: true,
		mostUnknown: inFlightAnd(1),
	},
	{
		name: '502 for 5 seconds, with a plan of 50 per second',
		fault: failing,
		seconds: 5,
		messages: 500,
		plan: 50,
		mostUnknown: 51,
	},
	{
		name: '502 for 5 seconds, two runs with one key',
		fault: failing,
		seconds: 5,
		messages: 1000,
		runs: ['org', 'org'],
		mostUnknown: 2 * MOST_IN_FLIGHT + 1,
	},
	{
		name: '502 for 5 seconds, two keys',
		fault: failing,
		seconds: 5,
		messages: 1000,
		runs: ['org', 'acc'],
		mostUnknown: 2 * (MOST_IN_FLIGHT + 1),
	},
	{ name: 'Resets for 5 seconds', fault: { kind: 'reset' }, seconds: 5, mostUnknown: inFlightAnd(1) },
	{
		name: 'Lost answers for 5 seconds',
		fault: { kind: 'lostResponse' },
		seconds: 5,
		mostUnknown: inFlightAnd(1),
	},
	{
		name: 'Refused connections for 10 seconds',
		fault: 'nothing listens',
		seconds: 10,
		mostUnknown: inFlightAnd(0),
	},
	{ name: 'No answers for 5 seconds', fault: { kind: 'hang' }, seconds: 5, mostUnknown: inFlightAnd(1) },
	// Tries at once, and after 1, 3, 7, 15 and 30 seconds.
	{
		name: '`/Me` answers, sends fail for 5 seconds',
		fault: failingSends,
		seconds: 5,
		mostUnknown: inFlightAnd(3),
	},
	{
		name: '`/Me` answers, sends fail for 30 seconds',
		fault: failingSends,
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
