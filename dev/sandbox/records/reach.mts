import { notFound } from '../requests/problem.mts';
import type { StoredAccount, StoredChannel, StoredKey } from './model.mts';
import type { State } from './state.mts';

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
		return this.accounts().flatMap((account) => [...this.#state.channelsOf(account.accountId)]);
	}

	account(accountId: string): StoredAccount {
		const account = this.#state.accounts.get(canonical(accountId));
		if (account === undefined || !this.#includes(account)) throw notFound('account', accountId);
		return account;
	}

	channel(channelId: string): StoredChannel {
		const channel = this.#state.channels.get(canonical(channelId));
		if (channel === undefined || !this.#includes(this.#state.accountOf(channel))) {
			throw notFound('channel', channelId);
		}
		return channel;
	}

	apiKey(id: string): StoredKey {
		const key = this.#state.keys.get(canonical(id));
		if (key === undefined || key.revokedAt !== null || !this.#includes(this.#state.accountOf(key))) {
			throw notFound('API key', id);
		}
		return key;
	}

	#includes(account: StoredAccount): boolean {
		return this.wholeOrganization
			? account.organizationId === this.organizationId
			: account.accountId === this.key.accountId;
	}
}

/** A UUID as the state keeps it; upper case means the same id. */
export const canonical = (id: string): string => id.toLowerCase();

/** Whether two UUIDs are the same id. */
export const sameId = (a: string, b: string): boolean => canonical(a) === canonical(b);
