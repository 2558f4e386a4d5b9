/** An example for each rule of what is refused, in the order of the rules. The page shows them, a test tries them. */
export interface Example {
	/** A field of Message: Send, or of Service: Call an Endpoint. */
	readonly field: 'text' | 'toEmail' | 'onceKey' | 'path';
	/** What is in the field, as the editor shows it. */
	readonly value: string;
	/** The field is Fixed; otherwise in Expression mode. */
	readonly isFixed?: true;
	/** The item. */
	readonly item?: object;
	/** In a tool of an AI agent. */
	readonly isTool?: true;
	/** How to show it, if the value or the item is not to be shown. */
	readonly shown?: string;
}

export const EXAMPLES: readonly Example[] = [
	{
		field: 'toEmail',
		value: '{{ $json.mail }}',
		item: { mail: `${'a'.repeat(2000)}@example.com` },
		shown: '`{{ $json.mail }}`, where `mail` is the text of an e-mail',
	},
	{ field: 'text', value: 'Hello {{ $json.name }}', isFixed: true, item: { name: 'Ada' } },
	{ field: 'text', value: 'Your order: {{ $json.order }}', item: { order: { number: 7 } } },
	{ field: 'text', value: '{{ "Hi " + $json.name }}', item: { id: 7 } },
	{ field: 'text', value: 'New order {{ $json.id }} of {{ $json.name }}', item: { orderId: 7 } },
	{ field: 'toEmail', value: '{{ $json.user }}@example.com', item: { name: 'ada' } },
	{ field: 'path', value: '/orders/{{ $json.id }}', item: { id: '7/8' } },
	{ field: 'onceKey', value: '{{ $json.phone }}', item: { phone: '4.91512E+12' } },
	{
		field: 'toEmail',
		value: 'ada\u200b@example.com',
		isFixed: true,
		shown: '`ada@example.com` with a zero-width space before the `@`',
	},
	{ field: 'onceKey', value: '{{ $json.shop }}-{{ $json.number }}', item: { number: 7 } },
	{ field: 'onceKey', value: 'order-{{ $json.number }}', item: { id: 7 } },
	{ field: 'onceKey', value: 'sale {{ $itemIndex }}', item: { id: 7 } },
	{ field: 'toEmail', value: 'unknown', isFixed: true, isTool: true },
	{
		field: 'text',
		value: 'Order {{ $json.id }}',
		item: { id: Number('12345678901234567890') },
		shown: '`Order {{ $json.id }}` with the number `12345678901234567890`',
	},
];
