import {
	channelStatus,
	channelStatuses,
	channelTypeByKey,
	channelTypeOf,
	channelTypes,
} from '../records/catalog.mts';
import { conflict, invalid, notFound, refuse } from '../problem.mts';
import { canonical, differing, type Handler } from './call.mts';

/** Create channel. */
export const create: Handler<'channel.create'> = ({ state, views, reach, body, now }) => {
	const { name = '', description = null, channelStatusId: statusId = 1, parameters = {} } = body;
	const type = channelTypeByKey(body.channelType ?? '');
	const provider = state.providers.find((each) => each.providerId === canonical(body.providerId ?? ''));
	const isKnown = channelStatuses.some((status) => status.channelStatusId === statusId);
	const { channelTypeKey } = provider ?? {};
	const refusals: ReadonlyArray<readonly [isSo: boolean, problem: string]> = [
		[name === '', 'name: must not be empty'],
		[type === undefined, `channelType: must be one of ${channelTypes.map(({ key }) => key).join(', ')}`],
		[provider === undefined, 'providerId: no such provider'],
		[
			provider !== undefined && type !== undefined && channelTypeKey !== type.key,
			`providerId: ${provider?.name} provides ${channelTypeKey} channels, not ${type?.key}`,
		],
		[!isKnown, 'channelStatusId: no such status'],
		[
			type?.requiredFeedbackChannel === true && body.feedbackChannelId === undefined,
			`feedbackChannelId: a ${type?.key} channel needs one`,
		],
	];
	refuse(refusals.flatMap(([isSo, problem]) => (isSo ? [problem] : [])));

	const account = reach.account(body.accountId ?? reach.key.accountId);
	const feedback = body.feedbackChannelId === undefined ? null : reach.channel(body.feedbackChannelId);
	if (feedback !== null && !channelTypeOf(feedback).canBeFeedbackChannel) {
		throw invalid(`feedbackChannelId: a ${feedback.channelTypeKey} channel can't be a feedback channel`);
	}
	const time = new Date(now).toISOString();
	const channel = state.addChannel({
		...{ channelId: state.random.uuid(), feedbackChannelId: feedback?.channelId ?? null, name, description },
		...{ accountId: account.accountId, channelTypeKey: type?.key ?? '', statusId, parameters },
		...{ providerId: provider?.providerId ?? '', createdAt: time, stateUpdatedAt: time },
		isConnected: false,
	});
	return { status: 200, body: views.channel(channel) };
};

/** List channels. */
export const getAll: Handler<'channel.getAll'> = ({ views, reach }) => ({
	status: 200,
	body: reach.channels().map((channel) => views.channel(channel)),
});

/** Update channel parameters: the new ones replace the present ones. */
export const updateParameters: Handler<'channel.updateParameters'> = (call) => {
	const { views, reach, parameters, body, now } = call;
	refuse(differing([body.channelId, parameters.id, 'channelId: differs from the id in the path']));
	if (body.parameters === undefined) throw invalid('parameters: missing');
	const channel = reach.channel(parameters.id);
	const status = channelStatus(channel.statusId);
	if (status.isTerminalDeletionState) throw notFound('channel', parameters.id);
	if (!status.canConfigure) {
		throw conflict(`Channel "${channel.name}" is ${status.name.toLowerCase()} and can't be configured.`);
	}
	channel.parameters = body.parameters;
	channel.stateUpdatedAt = new Date(now).toISOString();
	return { status: 200, body: views.channel(channel) };
};
