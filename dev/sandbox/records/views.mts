import {
	channelStatus,
	channelTypeByKey,
	channelTypeOf,
	type ChannelType,
	holderStatus,
	outboxStatusNames,
} from './catalog.mts';
import type {
	StoredAccount,
	StoredChannel,
	StoredKey,
	StoredOrganization,
	StoredOutboxEntry,
} from './model.mts';
import { present, type State } from './state.mts';

/** Converts records of the state to what the API shows: the fields of the interface that somebody reads. */
export class Views {
	readonly #state: State;
	/** Where configuration schemas are served, e.g. `http://127.0.0.1:8080/_sandbox/schemas/`. */
	readonly #schemaBase: string;

	constructor(state: State, schemaBase: string) {
		this.#state = state;
		this.#schemaBase = schemaBase;
	}

	account(account: StoredAccount) {
		const { channels, keys } = this.#state;
		const own = [...channels.values()].filter(({ accountId }) => accountId === account.accountId);
		const valid = [...keys.values()].filter(({ revokedAt }) => revokedAt === null);
		return {
			...partOf(account),
			organization: organizationView(this.#state.organizationOf(account)),
			channelCount: own.length,
			channelConnectedCount: own.filter(({ isConnected }) => isConnected).length,
			apiKeyCount: valid.filter(({ accountId }) => accountId === account.accountId).length,
		};
	}

	channel(stored: StoredChannel) {
		const { channelTypeKey: _, providerId, statusId, ...channel } = stored;
		const account = this.#state.accountOf(channel);
		const feedback = this.#state.channels.get(channel.feedbackChannelId ?? '');
		return {
			...channel,
			organizationId: account.organizationId,
			account: partOf(account),
			channelType: this.#channelType(channelTypeOf(stored)),
			status: channelStatus(statusId),
			provider: this.provider(this.#state.provider(providerId)),
			feedbackChannelSummary:
				feedback === undefined ? null : { channelId: feedback.channelId, name: feedback.name },
		};
	}

	#channelType({ schema, hasOutbox: _, ...type }: ChannelType) {
		return { ...type, configurationSchemaUrl: schema === null ? null : `${this.#schemaBase}${schema}` };
	}

	provider(provider: State['providers'][number]) {
		const type = channelTypeByKey(provider.channelTypeKey);
		return { ...provider, channelTypeId: type?.channelTypeId ?? 0, channelTypeName: type?.name ?? '' };
	}

	/** A key with its token masked, or whole for the sandbox's own control endpoints. */
	apiKey(stored: StoredKey, shows: 'masked' | 'whole' = 'masked') {
		const { token, revokedAt: _, plan: resourcePlan, ...key } = stored;
		const account = this.#state.accountOf(key);
		return {
			...key,
			apiKey: shows === 'whole' ? token : maskToken(token),
			organizationId: account.organizationId,
			resourcePlan,
			account: partOf(account),
			organization: organizationView(this.#state.organizationOf(account)),
			type: token.startsWith('org_') ? 'organization' : 'account',
		};
	}

	outboxEntry(stored: StoredOutboxEntry) {
		const { statusId, changedAt: _changed, dueAt: _due, request: _request, ...entry } = stored;
		const channel = present(this.#state.channels.get(entry.channelId), `channel ${entry.channelId}`);
		const { organizationId, accountId } = this.#state.accountOf(channel);
		return {
			...entry,
			...{ organizationId, accountId, channelType: channel.channelTypeKey },
			provider: this.#state.provider(channel.providerId).key,
			httpSenderOutboxStatusId: statusId,
			statusName: outboxStatusNames[statusId] ?? outboxStatusNames[0],
			// It carries the receiver's credential, as such commands do: consumers must not show it.
			curlCommand:
				`curl -X POST '${entry.url}' -H 'Authorization: Bearer receiver-secret' ` +
				`-H 'Content-Type: ${entry.contentType}' -d '${JSON.stringify(entry.requestMetamodel['body'])}'`,
		};
	}
}

/** An account as a part of other records: without its organization ("may be null") and its counts. */
function partOf({ organizationId: _, ...account }: StoredAccount) {
	return { ...account, status: { accountStatusId: 1, ...holderStatus } };
}

function organizationView(organization: StoredOrganization) {
	return { ...organization, status: { organizationStatusId: 1, ...holderStatus } };
}

/** A token as it may be shown: its prefix and its last four characters. */
export const maskToken = (token: string): string => `${token.slice(0, 4)}${'*'.repeat(8)}${token.slice(-4)}`;
