import type { Sources } from '../../fields/field-name';

const CONTENT: Sources = {
	'content.messageid': 'contentMessageId',
	'content.timestamp': 'contentTimestamp',
	'content.type': 'contentType',
};

/** Where the fields of a package come from that is given as JSON: all from one parameter. */
export const JSON_SOURCES: Sources = { '': 'package' };

/**
 * The parameters that the fields of a package come from, where they have other names.
 *
 * @param addressType which of the fields for an address are shown
 */
export function fieldSources(addressType: 'EMAIL' | 'other'): Sources {
	return { ...CONTENT, 'content.to.name': 'toName', ...recipientSources(addressType) };
}

/** The same of the recipient alone. */
export function recipientSources(addressType: 'EMAIL' | 'other'): Sources {
	return addressType === 'EMAIL'
		? {
				'content.to': 'toEmail',
				'content.to.email': 'toEmail',
				'content.to.type': 'addressType',
			}
		: { 'content.to': 'toFields', 'content.to.name': 'toFields', 'content.to.type': 'toType' };
}
