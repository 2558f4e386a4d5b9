/** What is sent: the JSON of the input items. */
export interface Message {
	/** What identifies it: a different one for each. */
	id: string;
	name: string;
	email: string;
}

/** Messages to as many recipients, so that none has to wait for another; their addresses begin with the prefix. */
export function messagesTo(count: number, prefix = 'customer'): Message[] {
	return Array.from({ length: count }, (_, index) => ({
		id: `${prefix}-order-${index}`,
		name: `Customer ${index}`,
		email: `${prefix}-${index}@example.com`,
	}));
}

let keys = 0;

/** A key that was not used before: the node knows no plan of it yet. */
export function freshKey(): string {
	return `acc_benchmark_${String(++keys).padStart(6, '0')}`;
}
