import { refuse } from '../problem.mts';
import { differing, type Handler } from './call.mts';

/** Update API key: name and description only; missing fields stay unchanged. */
export const update: Handler<'apiKey.update'> = ({ views, reach, parameters, body }) => {
	refuse(differing([body.apiKeyId, parameters.id, 'apiKeyId: differs from the id in the path']));
	const key = reach.apiKey(parameters.id);
	key.name = body.name ?? key.name;
	key.description = body.description ?? key.description;
	return { status: 200, body: views.apiKey(key) };
};

/** Delete API key: revoked permanently, from the next request on. */
export const remove: Handler<'apiKey.delete'> = ({ reach, parameters, now }) => {
	reach.apiKey(parameters.id).revokedAt = new Date(now).toISOString();
	return { status: 204 };
};

/** Me: the calling key. */
export const getCurrent: Handler<'apiKey.getCurrent'> = ({ views, reach }) => ({
	status: 200,
	body: views.apiKey(reach.key),
});
