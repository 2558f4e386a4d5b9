import { valueAt } from '../../shared/json';

/** Whether an API key is the one in use, according to the body of /Me. */
export type KeyInUse = 'same' | 'other' | 'unclear';

/** Where the body of /Me may have the ID of the key in use; the interface does not say. */
const ID_PATHS = ['id', 'apiKeyId', 'apiKey.id'];

/** A UUID without hyphens. */
const BARE_UUID = /^[0-9a-f]{32}$/;

/**
 * Compares a key's ID with the body of /Me: `same` if it is the ID of the key in use, `other` if the body has another
 * ID for that and this one is nowhere in it. Otherwise `unclear`: it may be the key in use.
 *
 * @param me the body of /Me, in any form
 * @param apiKeyId a UUID
 */
export function keyInUse(me: unknown, apiKeyId: string): KeyInUse {
	const id = plain(apiKeyId);
	const shown = ID_PATHS.map((place) => plain(valueAt(me, place))).filter((text) => BARE_UUID.test(text));
	if (shown.includes(id)) return 'same';
	const isElsewhere = plain(JSON.stringify(me) ?? '').includes(id);
	return shown.length > 0 && !isElsewhere ? 'other' : 'unclear';
}

/** Text in lower case without hyphens, braces and spaces, so that UUIDs compare equal; '' if the value is not text. */
function plain(text: unknown): string {
	return typeof text === 'string' ? text.toLowerCase().replace(/[-{}\s]/g, '') : '';
}
