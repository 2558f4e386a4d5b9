/** What is sent: the JSON of the input items. */
export interface Message {
	name: string;
	email: string;
}

/** Messages to as many recipients, so that none has to wait for another; their addresses begin with the prefix. */
export function messagesTo(count: number, prefix = 'customer'): Message[] {
	return Array.from({ length: count }, (_, index) => ({
		name: `Customer ${index}`,
		email: `${prefix}-${index}@example.com`,
	}));
}
