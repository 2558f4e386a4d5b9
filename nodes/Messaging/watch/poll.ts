import { type INodeExecutionData, type IPollFunctions, NodeOperationError } from 'n8n-workflow';

import { makeSingleCall } from '../delivery/single-call';
import { apiCall } from '../service/api-call';
import { apiError } from '../service/api-error';
import { connect } from '../service/connect';
import { type Failure, failureBy, isFailure } from '../service/endings';
import { maskTokens } from '../service/tokens';
import { moment } from '../time/clock';
import { Turns } from '../time/turns';
import { type ChannelList, readChannels } from './channel-list';
import { type Change, compare } from './compare';
import { itemOf } from './item';
import { watchOf } from './parameters';
import { sampleOf } from './sample';
import { fromStored, toStored } from './stored';
import type { Watch } from './watch';

/** How the list is asked for: like any other call, but that somebody polls who can't set options. */
const CALL_SETTINGS = { timeoutMs: 30_000, maxTries: 4, maxWaitMs: 60_000, resendUnknown: false };

/** The name of the memory in the static data of the node. */
const MEMORY = 'memory';

/** What n8n does with a poll's result: null means nothing to do. */
type PollResult = INodeExecutionData[][] | null;

/**
 * One poll in an active workflow: asks for the list, once, and gives an item for each change. Throws when the list
 * can't be had, and forgets nothing then.
 *
 * @param isFirst whether n8n has just activated the workflow
 */
export async function poll(context: IPollFunctions, isFirst: boolean): Promise<PollResult> {
	const { watch, list } = await look(context);
	const data = context.getWorkflowStaticData('node');
	const before = await fromStored(data[MEMORY]);
	// Who knows of channels takes an empty list for one, but not an answer without a list.
	if (list.isNothing && before !== undefined && before.channels.size > 0) throw pollError(context, NOTHING);
	const { changes, memory, learnt } = await compare(before, list, watch, moment());
	// Before it is remembered that they are told of.
	const items = await itemsOf(changes);
	data[MEMORY] = await toStored(memory);
	if (items.length > 0) return [items];
	// n8n saves what a poll remembers when it activates a workflow and when a poll gives output, be it empty: else
	// what was learnt now would be lost with the next restart.
	return learnt && !isFirst ? [[]] : null;
}

/** What the test in the editor shows: one of the channels as a sample. What is remembered stays as it is. */
export async function pollSample(context: IPollFunctions): Promise<PollResult> {
	const { watch, list } = await look(context);
	const sample = sampleOf(list, watch, moment());
	if (sample !== undefined) return [await itemsOf([sample])];
	const [message, description] =
		list.channels.size === 0
			? ['The service lists no channels', 'Create one, and test this step again.']
			: ['None of the channels fits the filters', 'Check Channel, Account and Channel Type.'];
	throw new NodeOperationError(context.getNode(), message, { description });
}

/** Asks the service what channels there are. */
async function look(context: IPollFunctions): Promise<{ watch: Watch; list: ChannelList }> {
	const service = await connect(context);
	if (isFailure(service)) throw pollError(context, service);
	const watch = watchOf(context, service);
	const result = await makeSingleCall(service, apiCall('get', '/api/v1/Admin/Channel', {}), CALL_SETTINGS);
	if (isFailure(result)) throw pollError(context, result);
	const list = await readChannels(result.body);
	if (list === undefined) throw pollError(context, NO_LIST);
	return { watch, list };
}

const NOTHING = failureBy('refused', {
	message: 'The service answered with nothing at all, where it listed channels before',
	description: 'None of them counts as removed. If that goes on, tell the operator of the service.',
});

const NO_LIST = failureBy('refused', {
	message: 'The service answered with something other than a list of channels',
	description: 'Check the Base URL in the credential: another program may answer there.',
});

function pollError(context: IPollFunctions, failure: Failure): Error {
	const { message, description } = failure;
	return apiError(context.getNode(), {
		...failure,
		message: `The channels could not be read: ${message}`,
		description:
			context.getMode() === 'manual'
				? description
				: `${description} Nothing is forgotten: the next poll that gets through tells of what has changed meanwhile.`,
	});
}

/** The output items that tell of changes. The event loop turns while there are many. */
async function itemsOf(changes: readonly Change[]): Promise<INodeExecutionData[]> {
	const turns = new Turns();
	const items: INodeExecutionData[] = [];
	for (const change of changes) {
		if (turns.over) await turns.next();
		items.push({ json: itemOf(change) });
	}
	await maskTokens(items.map(({ json }) => json));
	return items;
}
