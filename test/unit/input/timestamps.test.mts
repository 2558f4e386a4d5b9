import { runInNewContext } from 'node:vm';
import { DateTime } from 'luxon';

import { asTimestamp } from '../../../nodes/Messaging/input/values.ts';
import { refusalBy } from '../support/operations.mts';

/** A second copy of Luxon, as an expression or another package may load it: its DateTime is a different class. */
function otherLuxon(): typeof DateTime {
	let copy: typeof DateTime | undefined;
	jest.isolateModules(() => {
		copy = jest.requireActual<{ DateTime: typeof DateTime }>('luxon').DateTime;
	});
	if (copy === undefined || copy === DateTime) throw new Error('Luxon was not loaded again');
	return copy;
}

const nine = '2030-01-31T09:00:00.000Z';
const TOKYO = 'Asia/Tokyo';
const sixInTokyo = otherLuxon().fromISO('2030-01-31T18:00:00', { zone: TOKYO });

test.each<[kind: string, value: unknown, expected: string, zone?: string]>([
	['picked in the editor', '2030-01-31T09:00:00', '2030-01-31T09:00:00.000+09:00'],
	['picked, in summer time', '2030-07-31T09:00:00', '2030-07-31T09:00:00.000+02:00', 'Europe/Vienna'],
	['a space for the T', '2030-01-31 09:00:00.5', '2030-01-31T09:00:00.500+09:00'],
	['without seconds', '2030-01-31T09:00', '2030-01-31T09:00:00.000+09:00'],
	['a date alone', '2030-01-31', '2030-01-31T00:00:00.000+09:00'],
	['in UTC', '2030-01-31T09:00:00Z', nine],
	['with an offset', '2030-01-31T09:00:00-05:30', '2030-01-31T09:00:00.000-05:30'],
	['with a short offset', '2030-01-31T09:00+02', '2030-01-31T09:00:00.000+02:00'],
	['with a zone by name', '2030-01-31T09:00:00+01:00[Europe/Vienna]', '2030-01-31T09:00:00.000+01:00'],
	['as SQL with an offset', '2030-01-31 09:00:00.000 +02:00', '2030-01-31T09:00:00.000+02:00'],
	['with spaces around it', ' 2030-01-31T09:00:00Z\n', nine],
	['in a skipped hour', '2030-03-31T02:30:00', '2030-03-31T03:30:00.000+02:00', 'Europe/Vienna'],
	['on a leap day', '2028-02-29', '2028-02-29T00:00:00.000Z', 'UTC'],
	['in the first year', '0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z', 'UTC'],
	['a DateTime of another Luxon', sixInTokyo, '2030-01-31T18:00:00.000+09:00', 'UTC'],
	['a JS Date', new Date(nine), nine],
	['a JS Date of another realm', runInNewContext(`new Date('${nine}')`), nine],
])('takes one %s', (_kind, value, expected, zone = TOKYO) => {
	expect(asTimestamp(value, 'When', zone)).toBe(expected);
});

const noDate: unknown = runInNewContext('new Date("x")');

test.each<[kind: string, ...values: unknown[]]>([
	['a day that no month has', '2030-02-30T09:00:00', '2030-04-31', '2030-02-29T00:00:00Z', '2030-13-01'],
	['a time that no day has', '2030-01-31T25:00:00Z', '2030-01-31T24:00:00Z', '2030-06-30T23:59:60Z'],
	['an American time', '2030-01-31 09:00 PM'],
	['an unknown zone', '2030-01-31 09:00 EST', '2030-01-31T09:00:00[Nowhere/Land]'],
	['something behind it', '2030-01-31T09:00:00Z and so on', '2030-01-31 (Thursday)', '2030-01-31/2030-02-01'],
	['another format', 'May 2030', 'Thu, 31 Jan 2030 09:00:00 GMT', '31.01.2030', 'tomorrow'],
	['a part of one', '09:00', '2030'],
	['seconds or milliseconds', 1896080400, 1896080400000, '1896080400000'],
	['a year without four digits', '0000-12-31T00:00:00Z', '-0001-01-01', '+010000-01-01T00:00:00Z'],
	['another type', true, {}, ['2030-01-31']],
	['an invalid date', new Date('x'), noDate, new Date(8.64e15), DateTime.fromISO('x')],
	['an object that pretends', { toJSON: 5 }, { toJSON: () => 'now' }],
])('refuses %s', (_kind, ...given) => {
	for (const value of given) {
		const { field, hint } = refusalBy(() => asTimestamp(value, 'When', 'Asia/Tokyo'));
		expect([field, hint]).toEqual(['When', expect.stringContaining('ISO 8601')]);
	}
});

test.each([
	['2 hours', "{{ $now.plus(2, 'hours') }}"],
	['1 day', "{{ $now.plus(1, 'days') }}"],
	['two hours', '{{ $now }}'],
])('of %s, the expression is told', (given, expression) => {
	expect(refusalBy(() => asTimestamp(given, 'When', 'UTC')).hint).toContain(expression);
});
