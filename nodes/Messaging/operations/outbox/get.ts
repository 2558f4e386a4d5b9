import { channelLocator } from '../../fields/locators';
import { entryIdField } from '../../fields/builders';
import { includeToken, optionsField } from '../../fields/options';
import { apiCall } from '../../service/api-call';
import { defineOperation } from '../operation';
import { presentationFields, recordOutput, type RecordShape } from '../presentation';

/** An outbox entry, as the service returns it. */
export const OUTBOX_ENTRY = {
	id: 'httpSenderOutboxEntryId',
	simple: {
		httpSenderOutboxEntryId: 'httpSenderOutboxEntryId',
		statusName: 'statusName',
		channelId: 'channelId',
		retryCount: 'retryCount',
		responseStatusCode: 'responseStatusCode',
		responseBody: 'responseBody',
		correlationId: 'correlationId',
		createdAt: 'createdAt',
		sentAt: 'sentAt',
		failedAt: 'failedAt',
	},
	more: {
		accountId: 'accountId',
		channelType: 'channelType',
		contentType: 'contentType',
		lastRetryAt: 'lastRetryAt',
		organizationId: 'organizationId',
		priority: 'priority',
		provider: 'provider',
		requestMetamodel: 'requestMetamodel',
		traceParent: 'traceParent',
		url: 'url',
	},
	masked: ['url', 'curlCommand', 'requestMetamodel'],
} as const satisfies RecordShape;

/** Reads one outbox entry: GET /api/v1/admin/channel/{channelId}/outbox/{id}. */
export const getOutboxEntry = defineOperation({
	resource: 'outbox',
	name: 'get',
	action: 'Get an outbox entry',
	description: 'Get one entry in the outbound queue of a channel',
	effect: 'reads',
	fields: [channelLocator, entryIdField, ...presentationFields(OUTBOX_ENTRY), optionsField([includeToken])],
	compile(input) {
		const channelId = input.requiredUuid('channelId');
		const id = input.requiredUuid('entryId');
		return {
			call: apiCall('get', '/api/v1/admin/channel/{channelId}/outbox/{id}', { ids: { channelId, id } }),
			channel: channelId.toLowerCase(),
			sources: { id: 'entryId' },
			...recordOutput(input, OUTBOX_ENTRY),
		};
	},
});
