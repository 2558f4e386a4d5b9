import type { INodeParameters } from 'n8n-workflow';
import { byId, useLab } from './lab.ts';
import { n8nUnderTest } from './n8n-under-test.ts';
import type { ExpressionEngine } from './protocol.ts';

describe('with the expression engine "legacy"', () => readTimestamps('legacy'));
const describeWithIsolates = n8nUnderTest().lacks.includes('isolates') ? describe.skip : describe;
describeWithIsolates('with the expression engine "vm"', () => readTimestamps('vm'));

function readTimestamps(expressions: ExpressionEngine): void {
	// The machine's zone is neither the workflow's nor the one n8n falls back to.
	const lab = useLab({ expressions, machineTimezone: 'Asia/Kathmandu' });

	async function sentTimestamp(value: INodeParameters[string], timezone?: string): Promise<string> {
		const run = await lab.execute(
			{
				resource: 'message',
				operation: 'send',
				channelId: byId(lab.channelId('Support E-mail')),
				toEmail: 'ada@example.com',
				text: 'Hello',
				additionalFields: { deliveryDeadline: value },
			},
			timezone === undefined ? {} : { timezone },
		);
		expect(run.error?.message).toBeUndefined();
		const [request] = await lab.requests();
		expect(request).toMatchObject({ conforms: true });
		return (request?.body as { content: { deliveryDeadline: string } }).content.deliveryDeadline;
	}

	const nine = '2030-01-31T09:00:00.000Z';
	test.each<[kind: string, value: string, timezone: string, instant: string]>([
		['picked in the editor, without a zone', '2030-01-31T18:00:00', 'Asia/Tokyo', nine],
		['picked, in summer time', '2030-07-31T11:00:00', 'Europe/Berlin', '2030-07-31T09:00:00.000Z'],
		['with a space instead of the T', '2030-01-31 18:00:00', 'Asia/Tokyo', nine],
		['a date alone', '2030-01-31', 'Asia/Tokyo', '2030-01-30T15:00:00.000Z'],
		['ISO in UTC', '2030-01-31T09:00:00Z', 'Asia/Tokyo', nine],
		['ISO with an offset', '2030-01-31T11:00:00.000+02:00', 'Asia/Tokyo', nine],
		['with surrounding spaces', ' 2030-01-31T09:00:00Z ', 'Asia/Tokyo', nine],
		['a Luxon DateTime', '={{ DateTime.fromISO("2030-01-31T09:00:00Z") }}', 'Asia/Tokyo', nine],
		[
			'a Luxon DateTime in its own zone',
			'={{ DateTime.fromISO("2030-01-31T11:00:00", { zone: "Africa/Cairo" }) }}',
			'Asia/Tokyo',
			nine,
		],
		['a JS Date', '={{ new Date("2030-01-31T09:00:00Z") }}', 'Asia/Tokyo', nine],
		['ISO text from an expression', '={{ "2030-01-31T18:00:00" }}', 'Asia/Tokyo', nine],
	])('%s', async (_kind, value, timezone, instant) => {
		const sent = await sentTimestamp(value, timezone);

		expect(new Date(sent).toISOString()).toBe(instant);
		expect(sent).toMatch(/(Z|[+-]\d\d:\d\d)$/);
	});

	test('$now', async () => {
		const before = Date.now();
		const sent = Date.parse(await sentTimestamp('={{ $now }}', 'Asia/Tokyo'));

		// It was now at some moment in between, to the second.
		expect(sent >= before - 1000 && sent <= Date.now()).toBe(true);
	});

	test("without a zone in the workflow's settings, n8n's own default counts", async () => {
		const sent = await sentTimestamp('2030-01-31T04:00:00');

		expect(new Date(sent).toISOString()).toBe(nine);
	});
}
