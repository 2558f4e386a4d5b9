import {
	type IDataObject,
	type INode,
	type INodeExecutionData,
	type IPollFunctions,
	NodeApiError,
	NodeOperationError,
} from 'n8n-workflow';

import { makeSingleCall } from '../delivery/call';
import { listsFor, type NamedLists, NamedList } from '../input/by-name';
import type { ParameterSource } from '../input/parameter-source';
import { refuseDroppedNames } from '../input/dropped-names';
import { CUT_ADVICE } from '../service/advice';
import { listIn } from '../service/answer';
import { type ApiCall, LIST_OF } from '../service/api-call';
import { connect, type Service } from '../service/connect';
import { apiError, type Failure, isFailure, unsent } from '../service/endings';
import { maskInErrors } from '../service/secrets';
import { valueAt } from '../shared/json';
import { nodeError } from '../shared/shown';
import { asSentence, errorText } from '../shared/text';
import { type ChannelList, readChannels } from './channels';
import { compare } from './compare';
import { itemOf, sampleOf } from './item';
import { fromStored, type Memory, toStored } from './memory';
import { queryIn, readWatch, triggerFields, triggerDropped, type Watch } from './watch';

/** How the list is requested. The trigger has no options for this. */
const CALL_SETTINGS = { timeoutMs: 30_000, maxTries: 4, maxWaitMs: 60_000, whenUnknown: 'hold' as const };

/** The result of a poll. null starts no execution. */
type PollResult = INodeExecutionData[][] | null;

/**
 * The activations that no user is waiting for. If the first poll failed then, the trigger would stay off permanently:
 * n8n tries a few times within a minute and gives up.
 */
const UNATTENDED: readonly string[] = ['init', 'leadershipChange'];

/** The activations that have polled, and whether each is polling now. n8n makes one context per activation. */
const activations = new WeakMap<IPollFunctions, boolean>();

/** Called by n8n: once when it activates the workflow, then at each of the Poll Times, and for a test in the editor. */
export async function onPoll(context: IPollFunctions): Promise<PollResult> {
	if (context.getMode() === 'manual') return await pollSample(context);
	const isPolling = activations.get(context);
	// n8n does not wait for one poll to end before it starts the next. Two at once could take an older list for a newer
	// one, and would both write the memory.
	if (isPolling === true) return null;
	const isFirst = isPolling === undefined;
	activations.set(context, true);
	try {
		const result = poll(context, isFirst).catch((error: unknown) => {
			throw withAdvice(error, isFirst);
		});
		// A problem that persists will show in the next poll, as a failed execution.
		const isHidden = isFirst && UNATTENDED.includes(context.getActivationMode());
		return await (isHidden ? result.catch(() => null) : result);
	} finally {
		activations.set(context, false);
	}
}

/** The error as n8n shows it: of one that stops an activation, it shows only the message, so the advice goes there. */
function withAdvice(error: unknown, isActivation: boolean): unknown {
	if (!(error instanceof NodeApiError || error instanceof NodeOperationError)) return error;
	const advice = error.description ?? '';
	if (isActivation) error.message = `${asSentence(error.message)} ${advice}`.trim();
	else error.description = `${advice} The next successful poll reports what differs from the last one.`;
	return error;
}

/**
 * One poll of an active workflow: reads the list once and returns an item for each change. If the list can't be read,
 * throws and leaves the memory unchanged.
 *
 * @param isFirst whether n8n has just activated the workflow
 */
async function poll(context: IPollFunctions, isFirst: boolean): Promise<PollResult> {
	// Not n8n's data of the node, which is lost when the node is renamed.
	const data = context.getWorkflowStaticData('global');
	const place = placeFor(context.getNode());
	if (isFirst) forgetDeleted(context, data);
	const before = fromStored(data[place]);
	const { watch, list } = await pollChannels(context, before);
	const { changes, memory } = compare(before, list, watch, new Date().toISOString());
	// Items first: if making them fails, the changes must not be remembered as reported.
	const items = changes.map(itemOf);
	const stored = toStored(memory);
	const learnt = stored.scope !== before?.scope || stored.channels !== valueAt(data[place], 'channels');
	data[place] = { ...stored };
	if (items.length > 0) return [items];
	// n8n saves the memory only on activation and when a poll has output, even empty output. Otherwise, a restart would
	// lose what this poll found.
	return learnt && !isFirst ? [[]] : null;
}

/** The beginning of the names under which triggers remember. */
const PLACE = 'unifiedMessagingTrigger ';

function placeFor({ id }: Pick<INode, 'id'>): string {
	return PLACE + id;
}

/** Drops what triggers remember that are no longer in the workflow: each deployment under new IDs leaves one behind. */
function forgetDeleted(context: IPollFunctions, data: IDataObject): void {
	// n8n promises no list of a workflow's nodes. Where there is none, nothing is dropped.
	const { workflow } = context as unknown as { workflow?: { nodes?: Readonly<Record<string, INode>> } };
	const nodes = Object.values(workflow?.nodes ?? {});
	if (nodes.length === 0) return;
	const kept = new Set(nodes.map(placeFor));
	for (const place of Object.keys(data)) {
		if (place.startsWith(PLACE) && !kept.has(place)) delete data[place];
	}
}

/** The test in the editor: returns one of the channels as a sample, and leaves the memory unchanged. */
async function pollSample(context: IPollFunctions): Promise<PollResult> {
	const { watch, list } = await pollChannels(context);
	const sample = sampleOf(list, watch, new Date().toISOString());
	if (sample !== undefined) return [[{ json: { isSample: true, ...itemOf(sample).json } }]];
	throw nodeError(context.getNode(), {
		message: 'No channel matches the filters',
		description: 'Check Channel, Account and Channel Type. If they are empty, create a channel first.',
	});
}

/** What is watched, and the channels that the service lists. Throws what n8n shows. */
async function pollChannels(
	context: IPollFunctions,
	before?: Memory,
): Promise<{ watch: Watch; list: ChannelList }> {
	const named: NamedLists = {};
	const source: ParameterSource = {
		read: (name) => context.getNodeParameter(name),
		unresolved: (name) => context.getNode().parameters[name],
		timezone: context.getTimezone(),
		caller: { callId: '' },
		named,
	};
	try {
		refuseDroppedNames(triggerFields, source, triggerDropped);
		const service = await connect(context);
		if (isFailure(service)) throw pollError(context, service);
		const needed = listsFor(triggerFields, source);
		const query = queryIn(source);
		// What needs no list is checked before a request is made.
		if (needed.size === 0) readWatch(source, service);
		// Some services give an empty answer when there are no channels. If there were some before, it is not believed.
		const mayBeEmpty = before === undefined || before.channels.size === 0;
		const records = await listOf(context, service, { ...LIST_OF.channel, query }, mayBeEmpty);
		if (needed.has('account')) {
			named.account = new NamedList('account', await listOf(context, service, LIST_OF.account));
		}
		if (needed.has('channel')) named.channel = new NamedList('channel', records);
		return { list: readChannels(records), watch: readWatch(source, service) };
	} catch (error) {
		throw error instanceof NodeApiError ? error : settingError(context, error);
	}
}

/** A refused setting, or an expression that n8n could not resolve: its message says what is wrong. */
function settingError(context: IPollFunctions, error: unknown): Error {
	const { description = '', hint = description } = error as Partial<Record<string, string>>;
	// The refused value may be an API key that was entered in the wrong field.
	return nodeError(context.getNode(), { message: maskInErrors(errorText(error)), description: hint });
}

/** The records of a list. */
async function listOf(
	context: IPollFunctions,
	service: Service,
	call: ApiCall,
	mayBeEmpty?: boolean,
): Promise<readonly unknown[]> {
	const answer = await makeSingleCall(service, call, CALL_SETTINGS, context.getTimezone());
	// Channels that are missing only because the list was cut would seem to be removed.
	const records = listIn(answer, CUT_ADVICE, mayBeEmpty);
	if (!isFailure(records)) return records;
	throw pollError(context, records.cause === 'noTurn' ? NO_TURN : records);
}

/** The call's turn did not come in time. The trigger has no options, so this names none. */
const NO_TURN = unsent(
	'the plan of the API key is used up, or the service is failing or asks to come back later',
	'Wait until the service is back. If that happens often, ask for a larger resource plan, or use a separate key here.',
);

function pollError(context: IPollFunctions, failure: Failure): Error {
	const message = `The channels could not be read: ${failure.message}`;
	return apiError(context.getNode(), { ...failure, message });
}
