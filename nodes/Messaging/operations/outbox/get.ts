import { channelLocator } from '../../fields/locators';
import { entryIdField } from '../../fields/builders';
import { includeToken, optionsField } from '../../fields/options';
import { apiCall } from '../../service/api-call';
import { defineOperation } from '../operation';
import { simplifiedField, recordOutput, type RecordShape, topLevel } from '../records';

const OUTBOX_ENTRY: RecordShape = {
	...topLevel('httpSenderOutboxEntryId', 'statusName', 'channelId', 'retryCount', 'responseStatusCode'),
	...topLevel('responseBody', 'correlationId', 'createdAt', 'sentAt', 'failedAt'),
};

/** Reads one outbox entry: GET /api/v1/admin/channel/{channelId}/outbox/{id}. */
export const getOutboxEntry = defineOperation({
	action: 'Get an outbox entry',
	description: 'Get one entry of the outbox of a channel, its queue of outbound requests',
	effect: 'reads',
	fields: [channelLocator, entryIdField, simplifiedField, optionsField([includeToken])],
	compile(input) {
		const channelId = input.requiredUuid('channelId');
		const id = input.requiredUuid('entryId');
		return {
			call: apiCall('get', '/api/v1/admin/channel/{channelId}/outbox/{id}', { ids: { channelId, id } }),
			channel: channelId.toLowerCase(),
			...recordOutput(input, OUTBOX_ENTRY),
		};
	},
});
