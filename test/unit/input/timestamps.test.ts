import { runInNewContext } from 'node:vm';
import { DateTime } from 'luxon';

import { asTimestamp } from '../../../nodes/Messaging/input/values.ts';
import { refusalBy } from '../support/operations.ts';

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
const inTokyo = { zone: 'Asia/Tokyo' };

test.each<[kind: string, value: unknown, zone: string, expected: string]>([
	['picked in the editor', '2030-01-31T09:00:00', 'Asia/Tokyo', '2030-01-31T09:00:00.000+09:00'],
	['picked, in summer time', '2030-07-31T09:00:00', 'Europe/Vienna', '2030-07-31T09:00:00.000+02:00'],
	['picked, in UTC', '2030-01-31T09:00:00', 'UTC', nine],
	['a space for the T', '2030-01-31 09:00:00.5', 'Asia/Tokyo', '2030-01-31T09:00:00.500+09:00'],
	['without seconds', '2030-01-31T09:00', 'Asia/Tokyo', '2030-01-31T09:00:00.000+09:00'],
	['a date alone', '2030-01-31', 'Asia/Tokyo', '2030-01-31T00:00:00.000+09:00'],
	['in UTC', '2030-01-31T09:00:00Z', 'Asia/Tokyo', nine],
	['in UTC, in lower case', '2030-01-31t09:00:00z', 'Asia/Tokyo', nine],
	['with an offset', '2030-01-31T09:00:00-05:30', 'Asia/Tokyo', '2030-01-31T09:00:00.000-05:30'],
	['with a short offset', '2030-01-31T09:00+02', 'Asia/Tokyo', '2030-01-31T09:00:00.000+02:00'],
	[
		'with a zone by name',
		'2030-01-31T09:00:00+01:00[Europe/Vienna]',
		'Asia/Tokyo',
		'2030-01-31T09:00:00.000+01:00',
	],
	['as SQL with an offset', '2030-01-31 09:00:00.000 +02:00', 'Asia/Tokyo', '2030-01-31T09:00:00.000+02:00'],
	['with spaces around it', ' 2030-01-31T09:00:00Z\n', 'Asia/Tokyo', nine],
	[
		'in the hour that summer time skips',
		'2030-03-31T02:30:00',
		'Europe/Vienna',
		'2030-03-31T03:30:00.000+02:00',
	],
	['on a leap day', '2028-02-29', 'UTC', '2028-02-29T00:00:00.000Z'],
	['in the first year', '0001-01-01T00:00:00Z', 'UTC', '0001-01-01T00:00:00.000Z'],
	['in the last year', '9999-12-31T23:59:59.999Z', 'UTC', '9999-12-31T23:59:59.999Z'],
	[
		'a Luxon DateTime',
		DateTime.fromISO('2030-01-31T18:00:00', inTokyo),
		'UTC',
		'2030-01-31T18:00:00.000+09:00',
	],
	[
		'of another Luxon',
		otherLuxon().fromISO('2030-01-31T18:00:00', inTokyo),
		'UTC',
		'2030-01-31T18:00:00.000+09:00',
	],
	['a JS Date', new Date(nine), 'Asia/Tokyo', nine],
	['a JS Date of another realm', runInNewContext(`new Date('${nine}')`), 'Asia/Tokyo', nine],
])('takes one %s', (_kind, value, zone, expected) => {
	expect(asTimestamp(value, 'When', zone)).toBe(expected);
});

test.each<[kind: string, value: unknown]>([
	['a day that the month does not have', '2030-02-30T09:00:00'],
	['the same without a time', '2030-04-31'],
	['a leap day of another year', '2030-02-29T00:00:00Z'],
	['a month too many', '2030-13-01'],
	['an hour too many', '2030-01-31T25:00:00Z'],
	['the end of a day as 24:00', '2030-01-31T24:00:00Z'],
	['a leap second', '2030-06-30T23:59:60Z'],
	['an American time', '2030-01-31 09:00 PM'],
	['a zone by its initials', '2030-01-31 09:00 EST'],
	['an unknown zone', '2030-01-31T09:00:00[Nowhere/Land]'],
	['something behind it', '2030-01-31T09:00:00Z and so on'],
	['a remark behind it', '2030-01-31 (Thursday)'],
	['two of them', '2030-01-31/2030-02-01'],
	['a word', 'tomorrow'],
	['a month', 'May 2030'],
	['a mail date', 'Thu, 31 Jan 2030 09:00:00 GMT'],
	['day, month, year', '31.01.2030'],
	['only a time', '09:00'],
	['only a year', '2030'],
	['seconds', 1896080400],
	['milliseconds', 1896080400000],
	['milliseconds as text', '1896080400000'],
	['a year before the first', '0000-12-31T00:00:00Z'],
	['a negative year', '-0001-01-01'],
	['a year of five digits', '+010000-01-01T00:00:00Z'],
	['true', true],
	['an object', {}],
	['a list', ['2030-01-31']],
	['an invalid JS Date', new Date('x')],
	['an invalid JS Date of another realm', runInNewContext('new Date("x")')],
	['a JS Date far away', new Date(8.64e15)],
	['an invalid DateTime', DateTime.fromISO('x')],
	['an object that pretends', { toISO: 5 }],
	['an object that lies', { toISOString: () => 'now' }],
])('refuses %s', (_kind, value) => {
	const { field, message, hint } = refusalBy(() => asTimestamp(value, 'When', 'Asia/Tokyo'));
	expect(field).toBe('When');
	expect(message).toMatch(/^The field "When" needs a date and time, but it is /);
	expect(hint).toContain('ISO 8601');
});

test.each([undefined, null, '', '  '])('%j is empty', (value) => {
	expect(asTimestamp(value, 'When', 'UTC')).toBeUndefined();
});
