import { type INodeExecutionData, type IPollFunctions, NodeOperationError } from 'n8n-workflow';

import { makeSingleCall } from '../delivery/call';
import { InvalidParameter } from '../input/invalid-parameter';
import { isEmpty } from '../input/values';
import { apiCall } from '../service/api-call';
import { apiError } from '../service/api-error';
import { connect, type Service } from '../service/connect';
import { type Failure, failureBy, isFailure } from '../service/endings';
import { maskShapes } from '../service/secrets';
import { moment } from '../shared/clock';
import { isPlainObject } from '../shared/json';
import { type ChannelList, readChannels } from './channels';
import { type Change, compare, fromStored, toStored } from './compare';
import { itemOf, sampleOf } from './item';
import { readWatch, triggerFields, type Watch } from './watch';

/** How the list is asked for: like any other call, but a poll has no options to set. */
const CALL_SETTINGS = { timeoutMs: 30_000, maxTries: 4, maxWaitMs: 60_000, whenUnknown: 'hold' as const };

/** The name of the memory in the static data of the node. */
const MEMORY = 'memory';

/** What n8n does with a poll's result: null means nothing to do. */
type PollResult = INodeExecutionData[][] | null;

/**
 * How n8n activates the workflow when nobody is watching. A poll that fails then would leave the trigger off for good:
 * n8n tries a few times within a minute and gives up.
 */
const UNATTENDED: readonly string[] = ['init', 'leadershipChange'];

/** Activations that have polled, and whether they do so right now: n8n makes one context for each of them. */
const activations = new WeakMap<IPollFunctions, { polls: boolean }>();

/** What n8n calls: once when it activates the workflow, then at each of the Poll Times, and for a test in the editor. */
export async function onPoll(context: IPollFunctions): Promise<PollResult> {
	if (context.getMode() === 'manual') return await pollSample(context);
	const known = activations.get(context);
	// n8n does not wait for one poll before it begins the next: a list that is late may not be taken for a newer one,
	// and nobody else may write what is remembered meanwhile.
	if (known?.polls === true) return null;
	const isFirst = known === undefined;
	const activation = known ?? { polls: false };
	activations.set(context, activation);
	activation.polls = true;
	try {
		const result = poll(context, isFirst);
		// The next poll fails where it is seen, as an execution, if something is still wrong.
		const isHidden = isFirst && UNATTENDED.includes(context.getActivationMode());
		return await (isHidden ? result.catch(() => null) : result);
	} finally {
		activation.polls = false;
	}
}

/**
 * One poll in an active workflow: asks for the list, once, and gives an item for each change. Throws when the list
 * can't be read, and forgets nothing then.
 *
 * @param isFirst whether n8n has just activated the workflow
 */
export async function poll(context: IPollFunctions, isFirst: boolean): Promise<PollResult> {
	const { watch, list } = await look(context);
	const data = context.getWorkflowStaticData('node');
	const before = fromStored(data[MEMORY]);
	// An empty list may say that channels are gone; an answer without a list does not.
	if (list.isNothing && before !== undefined && before.channels.size > 0) throw pollError(context, NOTHING);
	const { changes, memory, learnt } = compare(before, list, watch, moment());
	// Before it is remembered that they are reported.
	const items = itemsOf(changes);
	data[MEMORY] = toStored(memory);
	if (items.length > 0) return [items];
	// n8n saves what a poll remembers when it activates a workflow and when a poll gives output, even an empty one:
	// else what was learnt now would be lost with the next restart.
	return learnt && !isFirst ? [[]] : null;
}

/** What the test in the editor shows: one of the channels as a sample. What is remembered stays as it is. */
export async function pollSample(context: IPollFunctions): Promise<PollResult> {
	const { watch, list } = await look(context);
	const sample = sampleOf(list, watch, moment());
	if (sample !== undefined) return [itemsOf([sample])];
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
	const list = readChannels(result.body);
	if (list === undefined) throw pollError(context, NO_LIST);
	return { watch, list };
}

/** What the trigger is set to look for. Throws a NodeOperationError that names the field when one does not fit. */
function watchOf(context: IPollFunctions, service: Service): Watch {
	try {
		const read = (name: string): unknown => readParameter(context, name);
		return readWatch({ read, timezone: context.getTimezone(), callId: '' }, service);
	} catch (error) {
		// Anything else comes from n8n while it resolves an expression: its own words say what is wrong.
		if (!(error instanceof InvalidParameter)) throw new NodeOperationError(context.getNode(), error as Error);
		// What a field holds that is refused may be a key, entered in the wrong place.
		throw new NodeOperationError(context.getNode(), maskShapes(error.message), { description: error.hint });
	}
}

/** Reads a parameter. A filter whose expression finds nothing is refused: all channels would be watched. */
function readParameter(context: IPollFunctions, name: string): unknown {
	const field = triggerFields.find((candidate) => candidate.name === name);
	const fallback = field?.default ?? '';
	const value: unknown = context.getNodeParameter(name, fallback);
	if (field?.type !== 'resourceLocator' || !isEmpty(contentOf(value))) return value;
	const entered: unknown = context.getNodeParameter(name, fallback, { rawExpressions: true });
	if (isEmpty(contentOf(entered))) return value;
	throw new InvalidParameter(
		field.displayName,
		'has an expression that finds no value',
		'Correct the expression, or leave the field empty to watch all.',
	);
}

/** What is entered in a locator. */
function contentOf(value: unknown): unknown {
	return isPlainObject(value) && 'mode' in value ? value.value : value;
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
				: `${description} Nothing is forgotten: the next poll that gets through reports what has changed meanwhile.`,
	});
}

/** The output items that report changes. */
function itemsOf(changes: readonly Change[]): INodeExecutionData[] {
	return changes.map((change) => ({ json: itemOf(change) }));
}
