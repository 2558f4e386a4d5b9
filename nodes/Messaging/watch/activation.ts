import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { poll, pollSample } from './poll';

/**
 * How n8n activates the workflow when nobody looks on. A poll that fails then would leave the trigger off for good:
 * n8n tries a few times within a minute and gives up.
 */
const UNATTENDED: readonly string[] = ['init', 'leadershipChange'];

/** Activations that have polled, and whether they do so right now: n8n makes one context for each of them. */
const activations = new WeakMap<IPollFunctions, { polls: boolean }>();

/**
 * What n8n calls: once when it activates the workflow, then as often as Poll Times say, and for each test in the
 * editor.
 */
export async function onPoll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	if (context.getMode() === 'manual') return await pollSample(context);
	const known = activations.get(context);
	// n8n does not wait for one poll before it begins the next: no list that is late may be taken for a newer one, and
	// nobody else may write what is remembered meanwhile.
	if (known?.polls === true) return null;
	const activation = known ?? { polls: false };
	activations.set(context, activation);
	activation.polls = true;
	const end = await poll(context, known === undefined)
		.then((output) => ({ output }))
		.catch((error: unknown) => ({ error }));
	activation.polls = false;
	if ('output' in end) return end.output;
	// The next poll says what is wrong, if it still is, where it is seen: as a failed execution.
	if (known === undefined && UNATTENDED.includes(context.getActivationMode())) return null;
	throw end.error;
}
