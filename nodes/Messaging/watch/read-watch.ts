import { createHash } from 'node:crypto';

import { Input, type ParameterSource } from '../fields/input';
import { InvalidParameter } from '../fields/invalid-parameter';
import { shown } from '../fields/values';
import type { Service } from '../service/connect';
import { sameCase } from '../text/fold';
import type { EventName } from './events';
import { triggerFields } from './fields';
import { keyOf } from './sighting';
import type { ChannelFilter, Watch } from './watch';

type TriggerInput = Input<typeof triggerFields>;

/**
 * Reads what the trigger is set to look for.
 *
 * @throws InvalidParameter when a field holds something that it can't
 */
export function readWatch(source: ParameterSource, { id }: Pick<Service, 'id'>): Watch {
	const input: TriggerInput = new Input(triggerFields, source);
	const options = input.collection('options');
	const filter = readFilter(input);
	const holdFor = options.int32('holdFor') ?? 1;
	if (holdFor < 1) {
		throw new InvalidParameter(
			options.label('holdFor'),
			`needs a number from 1 up, but it is ${holdFor}`,
			'Correct it, or remove the option.',
		);
	}
	return {
		events: readEvents(input),
		holdFor,
		reportsFirst: options.choice('firstPoll') === 'report',
		filter,
		scope: shortHash(JSON.stringify([id, filter.channelId, filter.accountId, filter.channelType])),
	};
}

function readFilter(input: TriggerInput): ChannelFilter {
	const channelId = input.uuid('channelId');
	const accountId = input.uuid('accountId');
	const channelType = sameCase(input.text('channelType').trim());
	return {
		channelId: channelId === undefined ? undefined : keyOf({ channelId }),
		accountId: accountId?.toLowerCase(),
		channelType: channelType === '' ? undefined : channelType,
	};
}

function readEvents(input: TriggerInput): ReadonlySet<EventName> {
	const label = input.label('events');
	const chosen = input.raw('events') ?? [];
	const names: readonly EventName[] = triggerFields[0].options.map(({ value }) => value);
	const hint = `Choose one event at least, or have the expression give a list of some of these: ${names.join(', ')}.`;
	if (!Array.isArray(chosen)) throw new InvalidParameter(label, `needs a list, but ${shown(chosen)}`, hint);
	const events = new Set<EventName>();
	for (const name of chosen as unknown[]) {
		const event = names.find((candidate) => candidate === name);
		if (event === undefined) throw new InvalidParameter(label, `has no such event: ${shown(name)}`, hint);
		events.add(event);
	}
	if (events.size === 0) throw new InvalidParameter(label, 'is empty', hint);
	return events;
}

/** It stands in the database beside the workflow: far too short to find a key by. */
function shortHash(text: string): string {
	return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
