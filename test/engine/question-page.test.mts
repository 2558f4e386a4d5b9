/** The page of a question: it finds the question in the node's context, which n8n gives only to expressions. */
import { linkIn } from '../../dev/harness/answer-page.mts';
import { useDeliveryLab } from './delivery-lab.mts';
import { expressionEngines } from './n8n-under-test.mts';

describe.each(expressionEngines)('in the engine "%s"', (expressions) => {
	const lab = useDeliveryLab({ expressions });

	test('shows what was asked, and the answer goes on with the execution', async () => {
		const items = [{ to: 'ada@example.com', text: 'May it go on?' }];
		const run = await lab.execute(lab.ask(), { items });
		const { searchParams } = new URL(linkIn((await lab.messages())[0]?.text));
		const query = { question: searchParams.get('question') ?? '' };

		const shown = await lab.engine.visit(run, { method: 'GET', query, body: {} });
		expect(shown).toEqual({ status: 200, page: expect.stringContaining('May it go on?') as unknown });

		const other = { question: query.question.replace(/.$/, (end) => (end === '0' ? '1' : '0')) };
		const body = { data: { answer: 'approve' } };
		const refused = await lab.engine.visit(run, { method: 'POST', query: other, body });
		expect(refused).toEqual({ status: 410, page: expect.any(String) as unknown });

		const { answer } = await lab.engine.visit(run, { method: 'POST', query, body });
		expect(answer).toMatchObject([{ data: { approved: true }, item: 0 }]);
	});
});
