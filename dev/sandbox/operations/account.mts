import { holderStatus } from '../records/catalog.mts';
import { conflict, notFound, Problem } from '../problem.mts';
import { differing, type Handler } from './call.mts';

/** Create account. An account key reaches its own account only, so it can't create one. */
export const create: Handler<'account.create'> = ({ state, views, reach, body, now }) => {
	const { organizationId, name = null, description = null } = body;
	const isOther = differing([organizationId ?? undefined, reach.organizationId, '']).length > 0;
	if (isOther) throw notFound('organization', organizationId ?? '');
	if (!reach.wholeOrganization) throw new Problem(403, 'Only an organization key can create an account.');
	const organization = state.organizationOf(reach);
	if (!holderStatus(organization.statusId).canManageChildObjects) {
		throw conflict(`Organization "${organization.name}" does not allow new accounts in its present status.`);
	}
	const account = {
		...{ accountId: state.random.uuid(), organizationId: organization.organizationId, name, description },
		...{ statusId: 1, createdAt: new Date(now).toISOString(), financialManagerCount: 0 },
	};
	state.accounts.set(account.accountId, account);
	state.onChange('accounts');
	return { status: 200, body: views.account(account) };
};

/** List accounts. */
export const getAll: Handler<'account.getAll'> = ({ views, reach }) => ({
	status: 200,
	body: reach.accounts().map((account) => views.account(account)),
});
