import type { INodeProperties } from 'n8n-workflow';

import type { Input } from '../../input/input';
import { InvalidParameter } from '../../input/invalid-parameter';

/** How long an answer may take, in n8n's own words. */
export const limitWaitTime = {
	displayName: 'Limit Wait Time',
	name: 'limitWaitTime',
	type: 'fixedCollection',
	default: { values: { limitType: 'afterTimeInterval', resumeAmount: 45, resumeUnit: 'minutes' } },
	description:
		'How long to wait for an answer at most. When the time is up, the input goes on as it is: it has no data, so an If node that checks whether data exists tells the two apart.',
	options: [
		{
			displayName: 'Values',
			name: 'values',
			values: [
				{
					displayName: 'Limit Type',
					name: 'limitType',
					type: 'options',
					options: [
						{
							name: 'After Time Interval',
							value: 'afterTimeInterval',
							description: 'Waits for a certain time',
						},
						{
							name: 'At Specified Time',
							value: 'atSpecifiedTime',
							description: 'Waits until a date and time',
						},
					],
					default: 'afterTimeInterval',
					description: 'How the limit is given',
				},
				{
					displayName: 'Amount',
					name: 'resumeAmount',
					type: 'number',
					displayOptions: { show: { limitType: ['afterTimeInterval'] } },
					typeOptions: { minValue: 0, numberPrecision: 2 },
					default: 1,
					description: 'How many of the unit to wait',
				},
				{
					displayName: 'Unit',
					name: 'resumeUnit',
					type: 'options',
					displayOptions: { show: { limitType: ['afterTimeInterval'] } },
					options: [
						{ name: 'Minutes', value: 'minutes', description: 'The amount counts minutes' },
						{ name: 'Hours', value: 'hours', description: 'The amount counts hours' },
						{ name: 'Days', value: 'days', description: 'The amount counts days of 24 hours' },
					],
					default: 'hours',
					description: 'What the amount counts',
				},
				{
					displayName: 'Max Date and Time',
					name: 'maxDateAndTime',
					type: 'dateTime',
					displayOptions: { show: { limitType: ['atSpecifiedTime'] } },
					default: '',
					description: 'Until when to wait',
				},
			],
		},
	],
} as const satisfies INodeProperties;

const UNIT_MS = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 } as const;

/** What n8n takes for "forever": a limit beyond it is none. */
const FOREVER = Date.UTC(3000, 0, 1);

/**
 * Until when an answer counts, in milliseconds since 1970; null when there is no limit.
 *
 * @throws InvalidParameter when that is no time, or none that is to come
 */
export function waitsUntil(item: Pick<Input<[]>, 'part'>): number | null {
	const options = item.part([limitWaitTime] as const);
	if (!options.has('limitWaitTime')) return null;
	const limit = options.group('limitWaitTime');
	const { now } = options;
	const until = limit.choice('limitType') === 'atSpecifiedTime' ? dateIn(limit, now) : now + spanIn(limit);
	return until < FOREVER ? until : null;
}

type Limit = Input<(typeof limitWaitTime)['options'][0]['values']>;

function spanIn(limit: Limit): number {
	const amount = limit.number('resumeAmount') ?? 1;
	if (amount > 0) return amount * UNIT_MS[limit.choice('resumeUnit')];
	throw new InvalidParameter(
		limit.label('resumeAmount'),
		`needs a number above 0, but it is ${amount}`,
		'Enter how long to wait, or remove the option Limit Wait Time to wait for as long as it takes.',
	);
}

function dateIn(limit: Limit, now: number): number {
	const label = limit.label('maxDateAndTime');
	const iso = limit.timestamp('maxDateAndTime');
	if (iso === undefined) {
		throw new InvalidParameter(
			label,
			'is empty',
			'Pick a date and time, or remove the option Limit Wait Time to wait for as long as it takes.',
		);
	}
	const until = Date.parse(iso);
	if (until > now) return until;
	throw new InvalidParameter(
		label,
		`needs a time that is to come, but it is ${iso}`,
		'Nobody could answer in time, so nobody was asked. Pick a later time.',
	);
}
