import type { operations } from '../../../api/schema.d.ts';
import type { OperationId } from '../interface/openapi.mts';
import type { StoredAccount, StoredChannel, StoredKey } from '../records/model.mts';
import type { State } from '../records/state.mts';
import type { Views } from '../records/views.mts';
import { notFound } from '../problem.mts';

type BodyOf<Id extends OperationId> = operations[Id] extends {
	requestBody: { content: { 'application/json; v=1.0': infer Body } };
}
	? Body
	: undefined;

type ParametersOf<Id extends OperationId> = operations[Id] extends { parameters: { path: infer Parameters } }
	? Parameters
	: Record<string, never>;

/** What an operation works with. */
export interface Context {
	state: State;
	views: Views;
	reach: Reach;
	/** Milliseconds since 1970. */
	now: number;
	/** How long an outbox entry stays pending. */
	outboxDelayMs: number;
}

/** One request that conforms to the interface and carries a valid key. */
export type Call<Id extends OperationId> = Context & { parameters: ParametersOf<Id>; body: BodyOf<Id> };

/** A success; without a body the answer is empty. */
export interface Answer {
	status: 200 | 201 | 204;
	body?: unknown;
}

/** Does what one operation says, or throws a `Problem`. */
export type Handler<Id extends OperationId> = (call: Call<Id>) => Answer;

/** A UUID as the state keeps it; upper case means the same id. */
export const canonical = (id: string): string => id.toLowerCase();

/** A line for each field that is given and differs from what it must be; UUIDs in upper case are the same. */
export function differing(
	...fields: ReadonlyArray<readonly [given: string | undefined, must: string, problem: string]>
): string[] {
	return fields.flatMap(([given, must, problem]) =>
		given === undefined || canonical(given) === canonical(must) ? [] : [problem],
	);
}

/**
 * What a key reaches: an `org_` key all accounts of its organization, an `acc_` key its own account. A record
 * out of reach gives the same answer as a missing one.
 */
export class Reach {
	readonly key: StoredKey;
	readonly organizationId: string;
	readonly wholeOrganization: boolean;
	readonly #state: State;

	constructor(state: State, key: StoredKey) {
		this.#state = state;
		this.key = key;
		this.organizationId = state.accountOf(key).organizationId;
		this.wholeOrganization = key.token.startsWith('org_');
	}

	accounts(): StoredAccount[] {
		return [...this.#state.accounts.values()].filter((account) => this.#includes(account));
	}

	channels(): StoredChannel[] {
		const ids = new Set(this.accounts().map(({ accountId }) => accountId));
		const channels = [...this.#state.channels.values()].filter(({ accountId }) => ids.has(accountId));
		return [...ids].flatMap((id) => channels.filter(({ accountId }) => accountId === id));
	}

	account(id: string): StoredAccount {
		return this.#within(this.#state.accounts.get(canonical(id)), 'account', id);
	}

	channel(id: string): StoredChannel {
		return this.#within(this.#state.channels.get(canonical(id)), 'channel', id);
	}

	apiKey(id: string): StoredKey {
		const key = this.#state.keys.get(canonical(id));
		return this.#within(key?.revokedAt === null ? key : undefined, 'API key', id);
	}

	#within<T extends { accountId: string }>(record: T | undefined, what: string, id: string): T {
		if (record === undefined || !this.#includes(this.#state.accountOf(record))) throw notFound(what, id);
		return record;
	}

	#includes({ accountId, organizationId }: StoredAccount): boolean {
		return this.wholeOrganization ? organizationId === this.organizationId : accountId === this.key.accountId;
	}
}
