import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { areGood } from '../draw.ts';
import { itsThing, labelOf, readLabel, type FuzzRequest, type Kind } from './kind.ts';
import { fields, keysOf, more, readKey, texts } from './values.ts';

interface Body {
	name?: string;
	/** Holds the label, which is different for each item. */
	description?: string;
}

/** The id of what is created for an item. */
function createdId({ body }: FuzzRequest): string {
	const { execution = 0, item = 0 } = readLabel((body as Body).description) ?? {};
	return `dddddddd-${digits(execution, 4)}-4000-8${digits(item, 3)}-000000000001`;
}

const digits = (number: number, count: number): string => String(number).padStart(count, '0');

/** Account: Create. */
export const createAccount: Kind = {
	id: 'account.create',
	isOnceOnly: true,
	sharesCalls: false,
	offers: { onceKey: true, ordering: false, whenUnknown: true },
	status: 200,
	item: (isKeyed) =>
		fc.record({ name: texts, id: keysOf(isKeyed), more }).map(({ name, id, more: rest }) => (index) => ({
			json: { ...rest, ...fields({ name: name.value, id: id.value }) },
			isSendable: areGood(name, id),
			key: readKey(id.value),
			message: `${index}`,
			things: [itsThing(index)],
		})),
	parameters: (execution) => ({
		resource: 'account',
		operation: 'create',
		name: '={{ $json.name }}',
		additionalFields: { description: labelOf(execution) },
	}),
	read(request) {
		const { name = '', description } = request.body as Body;
		const label = readLabel(description);
		if (label === undefined) return ['description: not as given'];
		if (name === '') return ['name: must not be empty'];
		const { execution, item } = label;
		const shows = { accountId: createdId(request), name };
		return { execution, items: [item], things: [itsThing(item)], lane: undefined, shows };
	},
	reply: (request) => ({ ...(request.body as IDataObject), accountId: createdId(request) }),
};
