import { defined } from '../../shared/json';
import { apiCall, type Schemas } from '../../service/api-call';
import { defineOperation } from '../operation';
import { withReply } from '../records';
import { sentMessageFields, sentMessageFrom, sentMessageOptions } from './edit';

/** Deletes a message: DELETE /api/v1/message/DeleteMessage, with a JSON body. */
export const deleteMessage = defineOperation({
	action: 'Delete a message',
	description: 'Delete a message that was sent before',
	effect: 'changes',
	fields: [...sentMessageFields, ...sentMessageOptions],
	compile(input) {
		const { ids, body, ...order } = sentMessageFrom(input);
		return {
			call: apiCall('delete', '/api/v1/message/DeleteMessage', {
				body: defined<Schemas['DeleteMessage']>(body),
			}),
			...order,
			output: (reply) => [withReply(reply, ids, { deleted: true })],
		};
	},
});
