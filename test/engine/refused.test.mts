/** What is refused, and what only looks like it, in both of n8n's expression engines: the cases of the unit tests. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { unaskedParameters } from '../cases/index.mts';
import { data, fine, placed, refusals } from '../cases/refused.mts';
import { ruleOf } from '../docs/refused-examples.mts';
import { type ItemError, useLab } from './lab.mts';
import { expressionEngines } from './n8n-under-test.mts';
import { type Edge, messagingNode, node, startName, startNode, workflow } from './workflow.mts';

type Case = Readonly<{ place: string; value: unknown }>;

describe.each(expressionEngines)('in the engine "%s"', (expressions) => {
	const lab = useLab({ expressions });

	/** The errors of all cases, each in a node of its own; undefined without one. */
	async function errorsOf(all: readonly Case[]): Promise<Array<ItemError | undefined>> {
		const nodes = all.map(({ place, value }, n) => {
			const [, id, saved] = placed(place, value);
			const parameters = unaskedParameters(id, saved) as INodeParameters;
			return messagingNode(parameters, { onError: 'continueRegularOutput' }, `Case ${n}`);
		});
		const run = await lab.engine.run({
			workflow: workflow(
				[startNode(), node('Webhook', 'harness.reshape', { as: 'Edit Fields' }), ...nodes],
				[[startName, 'Webhook'], ...nodes.map(({ name }): Edge => ['Webhook', name])],
			),
			credential: lab.credential,
			items: [{ json: data as unknown as IDataObject }],
			watch: startName,
		});
		expect(nodes.filter(({ name }) => run.output(name).length !== 1)).toEqual([]);
		return nodes.map(({ name }) => run.output(name)[0]?.json['error'] as ItemError | undefined);
	}

	test('what is refused names its field and its rule, and nothing is sent', async () => {
		const errors = await errorsOf(refusals);
		for (const [n, { kind, place, value }] of refusals.entries()) {
			const { description = '', message = '', outcome } = errors[n] ?? {};
			const rule = ruleOf(description);
			const [field] = placed(place, value);
			expect([place, value, outcome, message]).toEqual([
				...[place, value, 'unsent'],
				expect.stringContaining(`The field "${field}" `),
			]);
			expect([place, value, rule]).toEqual([place, value, expect.stringMatching(kind.rule)]);
		}
		expect(await lab.calls()).toEqual([]);
	});

	test('what only looks like it is sent', async () => {
		const errors = await errorsOf(fine);
		const refused = errors.map((error, n) => ({ ...fine[n], error: error?.message }));
		expect(refused.filter(({ error }) => error?.startsWith('The field "'))).toEqual([]);
	});
});
