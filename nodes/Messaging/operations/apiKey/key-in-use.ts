import { valueAt } from '../../shared/json';

/** Whether an API key is the one in use, as far as the body of /Me tells. */
export type KeyInUse = 'same' | 'other' | 'unclear';

/** Where the ID of the key in use may stand in the body of /Me, which the interface does not show. */
const PLACES = ['id', 'apiKeyId', 'apiKey.id'];

/** A UUID without hyphens. */
const UUID = /^[0-9a-f]{32}$/;

/**
 * Compares a key's ID with what /Me shows: `same` when it is shown as the ID of the key in use, `other` when another ID
 * is and this one stands nowhere else in the body either. Anything else is `unclear`: it may be the key in use.
 *
 * @param me the body of /Me, whatever it is
 * @param apiKeyId a UUID
 */
export function keyInUse(me: unknown, apiKeyId: string): KeyInUse {
	const id = plain(apiKeyId);
	const shown = PLACES.map((place) => plain(valueAt(me, place))).filter((text) => UUID.test(text));
	if (shown.includes(id)) return 'same';
	const isElsewhere = plain(JSON.stringify(me) ?? '').includes(id);
	return shown.length > 0 && !isElsewhere ? 'other' : 'unclear';
}

/** Text in which a UUID is always written alike; '' of what is no text. */
function plain(text: unknown): string {
	return typeof text === 'string' ? text.toLowerCase().replace(/[-{}\s]/g, '') : '';
}
