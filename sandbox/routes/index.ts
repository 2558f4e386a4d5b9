import type { OperationId } from '../contract.ts';
import * as account from './account.ts';
import * as apiKey from './api-key.ts';
import type { Answer, Call, Handler } from './call.ts';
import * as channel from './channel.ts';
import * as message from './message.ts';
import * as outbox from './outbox.ts';

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

/** Runs one operation. The contract has checked parameters and body, which is what the types rely on. */
export function runOperation<Id extends OperationId>(id: Id, call: Call<Id>): Answer {
	const handler: Handler<Id> = handlers[id];
	return handler(call);
}
