import type { IDataObject } from 'n8n-workflow';

import { flagField, numberField } from '../fields/builders';
import { type includeToken, nameContains, optionsField, queryParameters } from '../fields/options';
import { LIST_OF } from '../service/api-call';
import { textAt } from '../shared/json';
import { count, fold } from '../shared/text';
import { defineOperation, type DefinedOperation } from './operation';
import { simplifiedField, presenter, recordsOf, type RecordShape } from './records';

/**
 * Defines the operation that lists the records of a resource.
 *
 * @param own its options beside those of every list
 */
export function defineList(
	resource: keyof typeof LIST_OF,
	description: string,
	shape: RecordShape,
	own: ReadonlyArray<typeof includeToken> = [],
): DefinedOperation {
	return defineOperation({
		displayName: 'Get Many',
		action: `Get many ${resource}s`,
		description,
		effect: 'reads',
		fields: [
			flagField({
				name: 'returnAll',
				description: 'Whether to return all results or only up to a given limit',
				builderHint: {
					propertyHint:
						'Set it to true, unless only some records are wanted: with false, the list ends at limit, by default 50.',
				},
			}),
			numberField({
				name: 'limit',
				description: 'Max number of results to return',
				default: 50,
				displayOptions: { show: { returnAll: [false] } },
				typeOptions: { minValue: 1 },
			}),
			simplifiedField,
			optionsField([nameContains, queryParameters, ...own]),
		],
		compile(input) {
			const options = input.collection('options');
			const { present, showToken } = presenter(input, shape);
			const part = fold(options.text('nameContains').trim());
			const limit = input.flag('returnAll') ? Infinity : input.numberOrDefault('limit');
			return {
				call: { ...LIST_OF[resource], query: options.rows('queryParameters') },
				showToken,
				*output(body, cut, hint): Generator<IDataObject> {
					const all = recordsOf(body);
					const found =
						part === '' ? all : all.filter((record) => fold(textAt(record, 'name')).includes(part));
					for (const record of found.slice(0, limit)) yield present(record);
					const isLimited = found.length > limit;
					const limited = `${count(limit)} of ${count(found.length)}`;
					if (isLimited)
						hint?.(
							`${limited} ${resource}s came out. For the others, raise Limit ("limit") or turn on Return All ("returnAll": true).`,
						);
					// A model sees no hints, and would believe that what is missing in the list does not exist.
					// An agent gets an empty text in place of an empty list.
					const none =
						found.length === 0 && `No ${resource} ${part === '' ? 'is there' : 'has this in its name'}.`;
					const narrow = isLimited && `${limited}. Narrow it down with Name Contains.`;
					const note = [cut && `${cut}.`, none, narrow].filter(Boolean).join(' ');
					if (note !== '' && input.source.caller.isTool === true) yield { note };
				},
			};
		},
	});
}
