/** What is sent: the JSON of the input items. */
export interface Message {
	/** Unique. */
	id: string;
	name: string;
	email: string;
}

/** Messages to different recipients, so that none waits for another; the addresses begin with the prefix. */
export function messagesTo(count: number, prefix = 'customer'): Message[] {
	return Array.from({ length: count }, (_, index) => ({
		id: `${prefix}-order-${index}`,
		name: `Customer ${index}`,
		email: `${prefix}-${index}@example.com`,
	}));
}

let keys = 0;

/** An unused API key, whose plan the node does not know yet. */
export function freshKey(): string {
	return `acc_benchmark_${String(++keys).padStart(6, '0')}`;
}
