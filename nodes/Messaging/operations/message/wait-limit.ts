import { choiceField, groupField, numberField, timestampField } from '../../fields/builders';
import type { Input } from '../../input/input';
import { InvalidParameter } from '../../input/invalid-parameter';

/** The time limit for an answer, named as in n8n's own nodes. */
export const limitWaitTime = groupField({
	name: 'limitWaitTime',
	description:
		'How long to wait for an answer. When the time is up, the workflow continues with the input and without an answer: the item has no data, and an If node can check for that.',
	builderHint: {
		propertyHint:
			'A member of "options": { "limitWaitTime": { "values": { "limitType": "afterTimeInterval", "resumeAmount": 2, "resumeUnit": "hours" } } }, or limitType "atSpecifiedTime" with maxDateAndTime. When the time is up, the items go on without "data": check for it with an If node.',
	},
	default: { values: { limitType: 'afterTimeInterval', resumeAmount: 45, resumeUnit: 'minutes' } },
	values: [
		choiceField({
			name: 'limitType',
			description: 'How to set the limit',
			default: 'afterTimeInterval',
			choices: { afterTimeInterval: 'Wait for some time', atSpecifiedTime: 'Wait until a date and time' },
		}),
		numberField({
			displayName: 'Amount',
			name: 'resumeAmount',
			displayOptions: { show: { limitType: ['afterTimeInterval'] } },
			typeOptions: { minValue: 0, numberPrecision: 2 },
			default: 1,
			description: 'How many minutes, hours or days to wait',
		}),
		choiceField({
			displayName: 'Unit',
			name: 'resumeUnit',
			description: 'The unit of the amount',
			default: 'hours',
			displayOptions: { show: { limitType: ['afterTimeInterval'] } },
			choices: {
				minutes: 'Amount is in minutes',
				hours: 'Amount is in hours',
				days: 'Amount is in days of 24 hours',
			},
		}),
		timestampField({
			displayName: 'Max Date and Time',
			name: 'maxDateAndTime',
			description: 'When to stop waiting',
			displayOptions: { show: { limitType: ['atSpecifiedTime'] } },
		}),
	],
});

const UNIT_MS = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 } as const;

/** n8n treats a limit beyond this date as no limit. */
const FOREVER = Date.UTC(3000, 0, 1);

/** When the wait for an answer ends, in milliseconds since 1970; null when there is no limit. */
export function waitsUntil(item: Pick<Input<[]>, 'part'>): number | null {
	const options = item.part([limitWaitTime] as const);
	if (!options.isAdded('limitWaitTime')) return null;
	const limit = options.group('limitWaitTime');
	const now = Date.now();
	const isDate = limit.choice('limitType') === 'atSpecifiedTime';
	// If an expression finds no number, the default must not apply: NaN is refused below.
	const amount = () => limit.number('resumeAmount') ?? (limit.isEntered('resumeAmount') ? NaN : 1);
	const until = isDate
		? Date.parse(limit.timestamp('maxDateAndTime') ?? '')
		: now + amount() * UNIT_MS[limit.choice('resumeUnit')];
	if (until > now) return until < FOREVER ? until : null;
	throw new InvalidParameter(
		limit.label(isDate ? 'maxDateAndTime' : 'resumeAmount'),
		isDate ? 'needs a time in the future' : 'needs a number above 0',
		'No message was sent. Enter a later time, check the expression, or remove the option Limit Wait Time ("limitWaitTime") to wait without a limit.',
	);
}
