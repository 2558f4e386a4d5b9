/** Approvals fail closed: what is saved without the name of a group, and what an earlier answer has left. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { letters } from './delivery-lab.mts';
import { useLab } from './lab.mts';

const lab = useLab();

/** What is asked, as the node has noted it. */
async function asked(parameters: INodeParameters, item: IDataObject = {}) {
	const run = await lab.execute(parameters, { items: [{ ...letters(1)[0], ...item }] });
	const noted = JSON.stringify(run.data.executionData?.contextData ?? {});
	const text = /"questions\\?":\{[^{]*"((?:\\.|[^"\\])*)"\}/.exec(noted)?.[1];
	const question =
		text === undefined
			? undefined
			: (JSON.parse(JSON.parse(`"${text}"`) as string) as {
					question: { answer: IDataObject; until: number };
				});
	return { run, question: question?.question };
}

test.each<INodeParameters[string]>([
	{ values: { approvalType: 'double', disapproveLabel: 'No' } },
	{ approvalType: 'double', disapproveLabel: 'No' },
	"={{ { approvalType: 'double', disapproveLabel: 'No' } }}",
])('approval options %j give a button to decline', async (approvalOptions) => {
	const { question } = await asked(lab.ask({}, { approvalOptions }));
	expect(question?.answer).toMatchObject({ kind: 'approval', decline: 'No' });
});

test('without approval options, there is a button to approve', async () => {
	for (const approvalOptions of [{}, { values: {} }]) {
		const { question } = await asked(lab.ask({}, { approvalOptions }));
		expect(question?.answer).toMatchObject({ kind: 'approval', approve: 'Approve', decline: null });
	}
});

test.each([{ resumeAmount: 2, resumeUnit: 'days' }, { values: { resumeAmount: 2, resumeUnit: 'days' } }])(
	'a time limit %j is two days',
	async (limitWaitTime) => {
		const { question } = await asked(lab.ask({ limitWaitTime }));
		const days = ((question?.until ?? 0) - Date.now()) / 86_400_000;
		expect(Math.round(days * 100) / 100).toBe(2);
	},
);

test.each<[INodeParameters, INodeParameters, string]>([
	[{}, { approvalOptions: 'double' }, 'Approval Options'],
	[{}, { approvalOptions: { type: 'double' } }, 'Approval Options'],
	[{}, { approvalOptions: '={{ [1] }}' }, 'Approval Options'],
	[{ limitWaitTime: 45 }, {}, 'Limit Wait Time'],
	[{ limitWaitTime: { minutes: 45 } }, {}, 'Limit Wait Time'],
	[{ limitWaitTime: { values: { resumeAmount: '={{ $json.minutes }}' } } }, {}, 'Amount'],
])('%j %j is refused', async (options, more, field) => {
	const { run } = await asked(lab.ask(options, more));
	expect(run.error?.message).toContain(`The field "${field}"`);
	expect(await lab.messages()).toEqual([]);
});

test('an approval of earlier is not in what is passed on if nobody answers, but still in the output of the node before', async () => {
	const data = { approved: true, respondedAt: '2030-01-01T00:00:00Z' };
	const { run } = await asked(lab.ask(), { data, approved: true, order: 1042 });
	const passedOn = run.data.executionData?.nodeExecutionStack[0]?.data['main']?.[0]?.[0]?.json;
	expect(passedOn).toEqual({ ...letters(1)[0], order: 1042 });
	expect(run.output('Start')[0]?.json).toMatchObject({ data, approved: true });
});
