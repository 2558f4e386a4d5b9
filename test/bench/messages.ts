/** What is sent: the JSON of the input items. */
export interface Message {
	name: string;
	email: string;
}

/** Messages to as many recipients, so that none has to wait for another. */
export function messagesTo(count: number): Message[] {
	return Array.from({ length: count }, (_, index) => ({
		name: `Customer ${index}`,
		email: `customer-${index}@example.com`,
	}));
}
