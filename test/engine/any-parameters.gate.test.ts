import fc from 'fast-check';
import { DateTime } from 'luxon';
import type { INodeParameters, INodeProperties } from 'n8n-workflow';
import { deliveryFields } from '../../nodes/Messaging/fields/options.ts';
import { findOperation } from '../../nodes/Messaging/operations/index.ts';
import { cases, operationIds } from '../cases/index.ts';
import { character, validFor } from '../unit/support/arbitraries.ts';
import { membersOf } from '../unit/support/operations.ts';
import { once, useLab } from './lab.ts';

const lab = useLab({ expressions: 'vm' });

const numRuns = 4;
/** Looking for the smallest case that fails ends here, well before jest gives up. */
const interruptAfterTimeLimit = 40_000;

/** What no parameter expects. */
const anything = fc.oneof(
	fc.constantFrom<unknown>(undefined, null, '', ' ', {}, []),
	fc.string({ unit: character }),
	fc.jsonValue({ maxDepth: 3 }),
	fc.double(),
);

/** Mostly what fits a parameter, sometimes anything; a time of n8n's own is sent as its text. */
const valueFor = (property: INodeProperties): fc.Arbitrary<unknown> =>
	fc.oneof(
		{
			weight: 8,
			arbitrary: validFor(property).map((value) => (DateTime.isDateTime(value) ? value.toISO() : value)),
		},
		{ weight: 1, arbitrary: anything },
	);

/** What choices and forms hold is not for items to say: a mode decides. */
const isPlain = ({ type }: INodeProperties): boolean =>
	!['options', 'multiOptions', 'resourceMapper'].includes(type);

/** Parameters and, in their place, the expressions that read them from the item. */
interface Expressed {
	parameters: INodeParameters;
	item: fc.Arbitrary<Record<string, unknown>>;
}

/** Reads these parameters from an object of the item. */
function expressed(properties: readonly INodeProperties[], place: string, some: boolean): Expressed {
	const parts = properties.map((property) => {
		const path = `${place}.${property.name}`;
		const { name, type } = property;
		if (type === 'collection') {
			const members = expressed(membersOf(property).filter(isPlain), path, true);
			return { name, parameter: members.parameters, value: members.item };
		}
		if (type === 'fixedCollection') {
			const [table] = (property.options ?? []).flatMap((option) => ('values' in option ? [option] : []));
			const row = expressed(table?.values ?? [], path, false);
			return { name, parameter: { [table?.name ?? '']: [row.parameters] }, value: row.item };
		}
		const expression = `={{ $json${path} }}`;
		const mode = property.modes?.find((candidate) => candidate.type === 'string')?.name;
		const parameter = mode === undefined ? expression : { __rl: true, mode, value: expression };
		return { name, parameter, value: valueFor(property) };
	});
	const values = Object.fromEntries(parts.map(({ name, value }) => [name, value] as const));
	return {
		parameters: Object.fromEntries(parts.map(({ name, parameter }) => [name, parameter])) as INodeParameters,
		item: fc.record(values, some ? { requiredKeys: [] } : {}),
	};
}

/** The parameters that count for an operation when these are set. */
function countingIn(fields: readonly INodeProperties[], mode: INodeParameters): INodeProperties[] {
	const start = fields.map(({ name, default: value }) => [name, value] as const);
	const set: INodeParameters = { ...Object.fromEntries(start), ...mode };
	return fields.filter(({ displayOptions }) =>
		Object.entries(displayOptions?.show ?? {}).every(
			([name, values]) =>
				!(name in set || name.startsWith('@')) || values?.some((value) => value === set[name]),
		),
	);
}

const rows = operationIds.flatMap((id) => {
	const [resource = '', operation = ''] = id.split('.');
	const fields = findOperation(resource, operation)?.fields ?? [];
	return cases[id].modes.map((mode) => {
		// How calls are delivered has tests of its own.
		const counting = countingIn(fields, mode).map((field) =>
			field.name === 'options'
				? {
						...field,
						options: membersOf(field).filter(({ name }) =>
							deliveryFields[0].options.every((o) => o.name !== name),
						),
					}
				: field,
		);
		const { parameters, item } = expressed(counting.filter(isPlain), '', false);
		const options = {
			...(parameters['options'] as INodeParameters),
			...once,
			...(mode['options'] as object),
		};
		return {
			title: `${id} with ${JSON.stringify(mode)}`,
			id,
			parameters: { resource, operation, ...parameters, ...mode, options } as INodeParameters,
			item,
		};
	});
});

test('what the items say is read from everywhere', () => {
	expect(JSON.stringify(rows.map(({ parameters }) => parameters))).toMatch(
		/\.channelId.*\.additionalFields\.priority.*\.toRows\.name.*\.package/s,
	);
});

test.each(rows)(
	'$title: a request that conforms, or a clear error and none',
	async ({ id, parameters, item }) => {
		await fc.assert(
			fc.asyncProperty(fc.array(item, { minLength: 1, maxLength: 25, size: 'max' }), async (items) => {
				await lab.client.clearRequests();

				const run = await lab.execute(parameters, {
					items: items as Array<Record<string, never>>,
					settings: { onError: 'continueRegularOutput' },
					timezone: 'Europe/Berlin',
				});

				expect(run.error).toBeUndefined();
				const requests = await lab.requestsOf(id);
				// Other Content Fields are what the interface does not show.
				const isWrong = (problem: string): boolean =>
					!(id.startsWith('message.send') && /^content\..*: the interface has no such field$/.test(problem));
				expect(
					requests.flatMap(({ problems, bodyText }) =>
						problems.filter(isWrong).map((problem) => ({ problem, bodyText })),
					),
				).toEqual([]);
				const errors = run.json.flatMap(({ error }) =>
					error === undefined ? [] : [error as Record<string, unknown>],
				);
				const unsent = errors.filter(({ outcome }) => outcome === 'unsent');
				expect(requests).toHaveLength(items.length - unsent.length);
				for (const { message, description } of unsent) {
					// Some values can't even be handed over by n8n's expressions.
					expect(message).toMatch(/^(The field ".+" |Expression evaluation failed)/);
					expect(description).toMatch(/\S/);
				}
				for (const { outcome, statusCode } of errors.filter((error) => !unsent.includes(error))) {
					expect({ outcome, statusCode }).toEqual({
						outcome: 'rejected',
						statusCode: expect.any(Number) as number,
					});
				}
			}),
			{ numRuns, interruptAfterTimeLimit },
		);
	},
);
