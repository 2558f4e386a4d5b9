import type { OperationId } from '../interface/openapi.mts';
import * as account from './account.mts';
import * as apiKey from './api-key.mts';
import type { Answer, Call, Handler } from './call.mts';
import * as channel from './channel.mts';
import * as message from './message.mts';
import * as outbox from './outbox.mts';

const handlers: { [Id in OperationId]: Handler<Id> } = {
	'message.send': message.send,
	'message.edit': message.edit,
	'message.delete': message.remove,
	'channel.create': channel.create,
	'channel.getAll': channel.getAll,
	'channel.updateParameters': channel.updateParameters,
	'outbox.get': outbox.get,
	'outbox.cancel': outbox.cancel,
	'outbox.requeue': outbox.requeue,
	'account.create': account.create,
	'account.getAll': account.getAll,
	'apiKey.update': apiKey.update,
	'apiKey.delete': apiKey.remove,
	'apiKey.getCurrent': apiKey.getCurrent,
};

/** Runs one operation with parameters and a body that the contract has checked, which is what their types rely on. */
export function runOperation<Id extends OperationId>(
	id: Id,
	context: Omit<Call<Id>, 'parameters' | 'body'>,
	checked: { parameters: unknown; body: unknown },
): Answer {
	const handler: Handler<Id> = handlers[id];
	return handler({ ...context, ...(checked as Pick<Call<Id>, 'parameters' | 'body'>) });
}
