import type { ParameterSource } from '../../nodes/Messaging/input/parameter-source.ts';
import type { Properties } from '../../nodes/Messaging/input/parameter-types.ts';
import type { Parameters } from './case.mts';
import { ANSWER_LINK, ids } from './values.mts';

/** The default time zone: it has summer time, and is not the machine's. */
export const ZONE = 'Europe/Vienna';

/** The parameters of one item; what is not given has the node's default. */
export function sourceOf(fields: Properties, given: Parameters, timezone = ZONE): ParameterSource {
	const defaults = new Map(fields.map((field) => [field.name, field.default]));
	return {
		read: (name) => (Object.hasOwn(given, name) ? given[name] : (defaults.get(name) ?? '')),
		timezone,
		caller: { callId: ids.call, answerLink: ANSWER_LINK },
	};
}
