import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { areGood, mostly } from '../draw.ts';
import { byId, itsThing, labelOf, readLabel, type FuzzRequest, type Kind } from './kind.ts';
import { fields, keysOf, more, readKey, texts } from './values.ts';

interface Body {
	name?: string;
	/** The label. */
	description?: string;
	accountId?: string;
	parameters?: object;
}

/** What both have in common: created is what the description tells, so that no two items want the same. */
const shared = {
	isOnceOnly: true,
	sharesCalls: false,
	offers: { onceKey: true, ordering: false, whenUnknown: true },
	status: 200,
} as const;

/** The id of what is created for an item. */
function createdId({ body }: FuzzRequest): string {
	const { execution = 0, item = 0 } = readLabel((body as Body).description) ?? {};
	return `dddddddd-${digits(execution, 4)}-4000-8${digits(item, 3)}-000000000001`;
}

const digits = (number: number, count: number): string => String(number).padStart(count, '0');

function readerOf(idName: 'accountId' | 'channelId'): Kind['read'] {
	return (request) => {
		const { name = '', description } = request.body as Body;
		const label = readLabel(description);
		if (label === undefined) return ['description: not as given'];
		if (name === '') return ['name: must not be empty'];
		return {
			execution: label.execution,
			items: [label.item],
			things: [itsThing(label.item)],
			lane: undefined,
			shows: { [idName]: createdId(request), name },
		};
	};
}

/** Account: Create. */
export const createAccount: Kind = {
	...shared,
	id: 'account.create',
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
	read: readerOf('accountId'),
	reply: (request) => ({ ...(request.body as IDataObject), accountId: createdId(request) }),
};

const settings = mostly(
	fc.constantFrom<unknown>({}, '{}', undefined, '{"a":[1,{"b":null}]}', {
		host: 'mail.example.com',
		port: 25,
	}),
	fc.constantFrom<unknown>('[1]', 'nope', '{bad', 5, ['a']),
);

/** Channel: Create. */
export const createChannel: Kind = {
	...shared,
	id: 'channel.create',
	item: (isKeyed) =>
		fc
			.record({ name: texts, parameters: settings, id: keysOf(isKeyed), more })
			.map(({ name, parameters, id, more: rest }) => (index) => ({
				json: { ...rest, ...fields({ name: name.value, parameters: parameters.value, id: id.value }) },
				isSendable: areGood(name, parameters, id),
				key: readKey(id.value),
				message: `${index}`,
				things: [itsThing(index)],
			})),
	parameters: (execution) => ({
		resource: 'channel',
		operation: 'create',
		name: '={{ $json.name }}',
		channelType: { __rl: true, mode: 'name', value: 'EMAIL' },
		providerId: byId('b0b0b0b0-0000-4000-8000-000000000004'),
		accountId: byId('aaaaaaaa-0000-4000-8000-000000000002'),
		parametersMode: 'json',
		parameters: '={{ $json.parameters }}',
		additionalFields: { description: labelOf(execution) },
	}),
	read: readerOf('channelId'),
	reply: (request) => ({ ...(request.body as IDataObject), channelId: createdId(request) }),
};
