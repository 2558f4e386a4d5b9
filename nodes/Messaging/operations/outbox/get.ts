import { simplifyField } from '../../fields/lists';
import { channelLocator } from '../../fields/locators';
import { optionsField } from '../../fields/options';
import { entryIdField } from '../../fields/ids';
import { apiCall } from '../../service/api-call';
import { defineOperation } from '../operation';
import { pick, withReply } from '../records';
import { SIMPLE_OUTBOX_ENTRY } from '../simplified';

/** Reads one outbox entry: GET /api/v1/admin/channel/{channelId}/outbox/{id}. */
export const getOutboxEntry = defineOperation({
	resource: 'outbox',
	name: 'get',
	displayName: 'Get',
	action: 'Get an outbox entry',
	description: 'Look at one entry in the outbound queue of a channel',
	fields: [channelLocator, entryIdField, simplifyField, optionsField([])],
	compile(input) {
		const channelId = input.requiredUuid('channelId');
		const id = input.requiredUuid('entryId');
		const simplify = input.flag('simplify');
		return {
			call: apiCall('get', '/api/v1/admin/channel/{channelId}/outbox/{id}', { ids: { channelId, id } }),
			facts: { simplify },
		};
	},
	output: (body, { simplify }) => [simplify ? pick(body, SIMPLE_OUTBOX_ENTRY) : withReply(body)],
});
