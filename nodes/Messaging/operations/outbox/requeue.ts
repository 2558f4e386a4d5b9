import { channelLocator, requeueAccountLocator } from '../../fields/locators';
import { textField, uuidField } from '../../fields/builders';
import { optionsField, whenUnknown } from '../../fields/options';
import { InvalidParameter } from '../../input/invalid-parameter';
import { defined, valueAt } from '../../shared/json';
import { isUuid } from '../../shared/uuid';
import { apiCall, LIST_OF, type Schemas } from '../../service/api-call';
import { type CompiledCall, defineOperation } from '../operation';
import { channelWith, withReply } from '../records';

/** The channel of the entries, and its owners. Missing owners are looked up. */
interface Outbox {
	readonly channelId: string;
	readonly organizationId: string | undefined;
	readonly accountId: string | undefined;
}

const organizationIdField = textField({
	name: 'organizationId',
	description:
		'UUID of the organization that the channel belongs to. Leave it empty: the node finds it in the list of channels. Enter it only if an error asks for it; Account > Get Many shows it as organizationId.',
	placeholder: 'Found by itself',
});

/** Re-enqueues outbox entries: POST /api/v1/admin/channel/{channelId}/outbox/requeue. */
export const requeueOutboxEntries = defineOperation({
	action: 'Requeue outbox entries',
	description: 'Put entries back into the outbox of a channel, its queue of outbound requests',
	effect: 'changes',
	fields: [
		channelLocator,
		uuidField({
			name: 'entryIds',
			description:
				'UUIDs of the outbox entries (httpSenderOutboxEntryId): one, several separated by commas, or a list, from an expression or as JSON',
			required: true,
		}),
		organizationIdField,
		requeueAccountLocator,
		optionsField([whenUnknown]),
	],
	compile(input) {
		const outbox = {
			channelId: input.requiredUuid('channelId'),
			organizationId: input.uuid('organizationId'),
			accountId: input.uuid('accountId'),
		};
		return requeue(outbox, input.uuidList('entryIds'));
	},
});

/** The call for entries of one outbox. If an owner is missing, the list of channels completes it. */
function requeue(outbox: Outbox, ids: string[]): CompiledCall {
	const { channelId, organizationId, accountId } = outbox;
	const ownFields = { channelId, ids };
	const call: CompiledCall = {
		fingerprint: () => JSON.stringify(ownFields).toLowerCase(),
		call: apiCall('post', '/api/v1/admin/channel/{channelId}/outbox/requeue', {
			ids: { channelId },
			body: defined<Schemas['RequeueOutbox']>({ ids, channelId, organizationId, accountId }),
		}),
		ownFields,
		channel: channelId.toLowerCase(),
		lane: `channel ${channelId.toLowerCase()}`,
		output: (body) => [withReply(body, ownFields, { success: true })],
	};
	if (organizationId !== undefined && accountId !== undefined) return call;
	return {
		...call,
		before: { call: LIST_OF.channel, complete: (list) => requeue(ownedAs(outbox, list), ids) },
	};
}

/**
 * An outbox with its owners from the list of channels.
 *
 * @throws InvalidParameter naming an owner that the list does not show
 */
function ownedAs(outbox: Outbox, list: unknown): Outbox {
	const channel = channelWith(outbox.channelId, list);
	const owner = (
		{ name, displayName }: typeof organizationIdField | typeof requeueAccountLocator,
		within: string,
		hint: string,
	): string => {
		const id = outbox[name] ?? [name, within].map((path) => valueAt(channel, path)).find(isUuid);
		if (id !== undefined) return id;
		const [lacks, advice] =
			channel === undefined
				? ['have this channel', 'Check the Channel. If it is right, fill in this field.']
				: ['show it', hint];
		throw new InvalidParameter(displayName, `is empty, and the list of channels does not ${lacks}`, advice);
	};
	return {
		channelId: outbox.channelId,
		organizationId: owner(organizationIdField, 'account.organization.organizationId', 'Enter its UUID.'),
		accountId: owner(requeueAccountLocator, 'account.accountId', 'Pick it from the list or enter its UUID.'),
	};
}
