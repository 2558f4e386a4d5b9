import type { ParameterSource } from '../../nodes/Messaging/input/input.ts';
import type { Properties } from '../../nodes/Messaging/input/parameter-types.ts';
import type { Parameters } from './case.ts';
import { ANSWER_LINK, ids } from './values.ts';

/** The zone of the workflow unless a test gives another: one with summer time, and not the machine's. */
export const ZONE = 'Europe/Vienna';

/** The time, unless a test has a clock of its own. */
export const NOW = Date.UTC(2030, 0, 1);

/** Where the parameters of one item come from; what is not given has its default, as in the node. */
export function sourceOf(fields: Properties, given: Parameters, timezone = ZONE): ParameterSource {
	const defaults = new Map(fields.map((field) => [field.name, field.default]));
	return {
		read: (name) => (Object.hasOwn(given, name) ? given[name] : (defaults.get(name) ?? '')),
		timezone,
		callId: ids.call,
		answerLink: ANSWER_LINK,
		now: NOW,
	};
}
