import type { IDataObject } from 'n8n-workflow';

import { ids, words } from './values.mts';

const shop = { type: 'EMAIL', email: 'shop@example.com' };
const quoted = (isStatusReply: unknown) => ({ messageId: 'q', isStatusReply });
const ad = { headline: 'Ad', sourceId: '7' };

/** Additional and rarely used fields of `send` with sample values, and the result in the message package or its content. */
export const sendExtras: ReadonlyArray<
	[name: string, given: unknown, where: 'package' | 'content', wireName: string, onWire: unknown]
> = [
	['accountId', ids.account, 'package', 'accountId', ids.account],
	['accountName', 'Acme Support', 'package', 'accountName', 'Acme Support'],
	['contentMessageId', '3EB0', 'content', 'messageId', '3EB0'],
	['contentTimestamp', '2030-07-01T12:00:00', 'content', 'timestamp', '2030-07-01T12:00:00.000+02:00'],
	['correlationId', 'order-1042', 'package', 'correlationId', 'order-1042'],
	['deliveryDeadline', '2030-01-31T09:00:00Z', 'content', 'deliveryDeadline', '2030-01-31T09:00:00.000Z'],
	['deliveryStrategy', 2, 'content', 'deliveryStrategy', 2],
	['echoMessage', true, 'package', 'echoMessage', true],
	['from', JSON.stringify(shop), 'content', 'from', shop],
	['isAnnounceGroup', true, 'content', 'isAnnounceGroup', true],
	['isBroadcast', false, 'content', 'isBroadcast', false],
	['isCommunityNotices', true, 'content', 'isCommunityNotices', true],
	['isForwarded', false, 'content', 'isForwarded', false],
	['isFromMe', true, 'content', 'isFromMe', true],
	['isGroupMessage', false, 'content', 'isGroupMessage', false],
	['isHistoryMessage', true, 'content', 'isHistoryMessage', true],
	['isNewsletter', false, 'content', 'isNewsletter', false],
	['isStatusMessage', true, 'content', 'isStatusMessage', true],
	['organizationID', ids.organization, 'package', 'organizationID', ids.organization],
	['organizationName', 'Acme', 'package', 'organizationName', 'Acme'],
	['originPackageId', ids.entry, 'package', 'originPackageId', ids.entry],
	['packageId', ids.package, 'package', 'packageId', ids.package],
	['priority', '-5', 'content', 'priority', -5],
	['providerMetadata', { tag: ['a', null] }, 'package', 'providerMetadata', { tag: ['a', null] }],
	['quotedMessage', quoted('false'), 'content', 'quotedMessage', quoted(false)],
	['referralAds', '{"headline":"Ad","sourceId":7}', 'content', 'referralAds', ad],
	['timestamp', '2030-01-31T09:00:00', 'package', 'timestamp', '2030-01-31T09:00:00.000+01:00'],
];

/** Those that are rarely used. */
export const rareNames: readonly string[] = words(
	'originPackageId organizationID organizationName accountId accountName timestamp echoMessage contentMessageId contentTimestamp isFromMe deliveryStrategy isForwarded isStatusMessage isHistoryMessage isNewsletter isBroadcast isAnnounceGroup isCommunityNotices referralAds',
);

/** Fields in the collections that they belong to. */
export function collected(fields: object): { additionalFields: IDataObject; rareFields: IDataObject } {
	const inside = (isRare: boolean) =>
		Object.fromEntries(Object.entries(fields).filter(([name]) => rareNames.includes(name) === isRare));
	return { additionalFields: inside(false), rareFields: inside(true) };
}

/** Those fields with their sample values. */
export const allExtras = Object.fromEntries(sendExtras.map(([name, given]) => [name, given])) as IDataObject;

/** Those fields as sent in the package, or in its content. */
export function extrasIn(place: 'package' | 'content'): Record<string, unknown> {
	const inside = sendExtras.filter(([, , where]) => where === place);
	return Object.fromEntries(inside.map(([, , , wireName, onWire]) => [wireName, onWire]));
}
