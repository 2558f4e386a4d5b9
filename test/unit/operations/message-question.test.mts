/** What Send and Wait for Response asks: the buttons, and how long it waits. */
import { findOperation } from '../../../nodes/Messaging/operations/index.ts';
import { cases, type Parameters } from '../../cases/index.mts';
import { refusalBy } from '../support/operations.mts';
import { savedSource } from '../support/saved.mts';

const { fields, compile } = findOperation('message', 'sendAndWait')!;

/** The time at which the question is asked. */
const NOW = Date.UTC(2030, 0, 1);

const sourceFor = (saved: Parameters) =>
	savedSource(fields, { ...cases['message.sendAndWait'].least.given, ...saved }, { order: 1042 });
const questionOf = (saved: Parameters) => compile(sourceFor(saved)).question;

const buttonStyles = { buttonApprovalStyle: 'primary', buttonDisapprovalStyle: 'secondary' };

test.each([
	{ values: { approvalType: 'double', disapproveLabel: 'No' } },
	{ approvalType: 'double', disapproveLabel: 'No' },
	"={{ ({ approvalType: 'double', disapproveLabel: 'No' }) }}",
	// As n8n's own nodes save them.
	{ values: { approvalType: 'double', disapproveLabel: 'No', ...buttonStyles } },
	{ approvalType: 'double', disapproveLabel: 'No', ...buttonStyles },
])('approval options %j give a button to decline', (approvalOptions) => {
	expect(questionOf({ approvalOptions })?.answer).toMatchObject({ kind: 'approval', decline: 'No' });
});

test.each([{}, { values: {} }])('approval options %j give a button to approve alone', (approvalOptions) => {
	const buttons = { kind: 'approval', approve: 'Approve', decline: null };
	expect(questionOf({ approvalOptions })?.answer).toEqual(buttons);
});

const limit = (limitWaitTime: unknown): Parameters => ({ options: { limitWaitTime } });
const interval = (resumeAmount: number, resumeUnit: string) => ({ resumeAmount, resumeUnit });
const until = (maxDateAndTime: string) => ({ limitType: 'atSpecifiedTime', maxDateAndTime });

test.each<[Parameters, until: number | null]>([
	[{}, null],
	[limit({ values: interval(1.5, 'minutes') }), NOW + 90_000],
	[limit({ values: interval(1.5, 'hours') }), NOW + 5_400_000],
	[limit({ values: interval(0.5, 'days') }), NOW + 43_200_000],
	[limit(interval(2, 'days')), NOW + 2 * 86_400_000],
	// More than n8n can hold.
	[limit({ values: interval(1e9, 'days') }), null],
	// In the time zone of the workflow, here that of Vienna.
	[limit({ values: until('2040-07-01T12:00:00') }), Date.UTC(2040, 6, 1, 10)],
])('with %j, the wait ends at %s', (saved, end) => {
	jest.spyOn(Date, 'now').mockReturnValue(NOW);
	expect(questionOf(saved)?.until).toBe(end);
	jest.restoreAllMocks();
});

test.each<[Parameters, field: string]>([
	[{ approvalOptions: 'double' }, 'Approval Options'],
	[{ approvalOptions: { type: 'double' } }, 'Approval Options > type'],
	[{ approvalOptions: { values: { approvalTyp: 'double' } } }, 'Approval Options > approvalTyp'],
	[{ approvalOptions: { values: [{ approvalType: 'double' }] } }, 'Approval Options'],
	[{ approvalOptions: '={{ $json.missing }}' }, 'Approval Options'],
	[limit(45), 'Limit Wait Time'],
	[limit({ values: { resumeAmont: 45 } }), 'Limit Wait Time > resumeAmont'],
	[limit({ values: buttonStyles }), 'Limit Wait Time > buttonApprovalStyle'],
	[limit('={{ $json.missing }}'), 'Limit Wait Time'],
	[limit({ values: { resumeAmount: '={{ $json.minutes }}' } }), 'Amount'],
])('%j is refused', (saved, field) => {
	expect(refusalBy(() => questionOf(saved)).field).toBe(field);
});
