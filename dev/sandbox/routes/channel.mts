import { channelStatuses, channelTypes } from '../records/catalog.mts';
import { canonical, sameId } from '../records/reach.mts';
import { channelStatus, channelTypeByKey, channelTypeOf, holderStatus } from '../records/views.mts';
import { conflict, invalid, notFound } from '../requests/problem.mts';
import type { Handler } from './call.mts';

/** Create channel. */
export const create: Handler<'channel.create'> = ({ state, views, reach, body, now }) => {
	const problems: string[] = [];
	const name = body.name ?? '';
	if (name === '') problems.push('name: must not be empty');
	const type = channelTypeByKey(body.channelType ?? '');
	if (type === undefined) {
		problems.push(`channelType: must be one of ${channelTypes.map(({ key }) => key).join(', ')}`);
	}
	const providerId = canonical(body.providerId ?? '');
	const provider = state.providers.find((candidate) => candidate.providerId === providerId);
	if (provider === undefined) problems.push('providerId: no such provider');
	else if (type !== undefined && provider.channelTypeKey !== type.key) {
		problems.push(
			`providerId: ${provider.name} provides ${provider.channelTypeKey} channels, not ${type.key}`,
		);
	}
	const statusId = body.channelStatusId ?? 1;
	if (!channelStatuses.some((status) => status.channelStatusId === statusId)) {
		problems.push('channelStatusId: no such status');
	}
	if (type?.requiredFeedbackChannel === true && body.feedbackChannelId === undefined) {
		problems.push(`feedbackChannelId: a ${type.key} channel needs one`);
	}
	if (type === undefined || provider === undefined || problems.length > 0) throw invalid(...problems);

	const account = reach.account(body.accountId ?? reach.key.accountId);
	if (!holderStatus(account.statusId).canManageChildObjects) {
		throw conflict(`Account "${account.name}" does not allow new channels in its present status.`);
	}
	const feedback = body.feedbackChannelId === undefined ? null : reach.channel(body.feedbackChannelId);
	if (feedback !== null && !channelTypeOf(feedback).canBeFeedbackChannel) {
		throw invalid(`feedbackChannelId: a ${feedback.channelTypeKey} channel can't be a feedback channel`);
	}
	const time = new Date(now).toISOString();
	const channel = state.addChannel({
		channelId: state.random.uuid(),
		feedbackChannelId: feedback?.channelId ?? null,
		name,
		description: body.description ?? null,
		accountId: account.accountId,
		channelTypeKey: type.key,
		providerId: provider.providerId,
		statusId,
		parameters: body.parameters ?? {},
		createdAt: time,
		devices: [],
		isConnected: false,
		stateUpdatedAt: time,
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
	const { state, views, reach, parameters, body, now } = call;
	if (body.channelId !== undefined && !sameId(body.channelId, parameters.id)) {
		throw invalid('channelId: differs from the id in the path');
	}
	if (body.parameters === undefined) throw invalid('parameters: missing');
	const channel = reach.channel(parameters.id);
	const status = channelStatus(channel.statusId);
	if (status.isTerminalDeletionState) throw notFound('channel', parameters.id);
	if (!status.canConfigure) {
		throw conflict(`Channel "${channel.name}" is ${status.name.toLowerCase()} and can't be configured.`);
	}
	channel.parameters = body.parameters;
	channel.stateUpdatedAt = new Date(now).toISOString();
	state.noteChannel(channel);
	return { status: 200, body: views.channel(channel) };
};
