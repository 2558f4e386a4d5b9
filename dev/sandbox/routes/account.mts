import { sameId } from '../records/reach.mts';
import { holderStatus } from '../records/views.mts';
import { conflict, forbidden, notFound } from '../requests/problem.mts';
import type { Handler } from './call.mts';

/** Create account. An account key reaches its own account only, so it can't create one. */
export const create: Handler<'account.create'> = ({ state, views, reach, body, now }) => {
	const { organizationId = null, name = null, description = null } = body;
	if (organizationId !== null && !sameId(organizationId, reach.organizationId)) {
		throw notFound('organization', organizationId);
	}
	if (!reach.wholeOrganization) throw forbidden('Only an organization key can create an account.');
	const organization = state.organizationOf(state.accountOf(reach.key));
	if (!holderStatus(organization.statusId).canManageChildObjects) {
		throw conflict(`Organization "${organization.name}" does not allow new accounts in its present status.`);
	}
	const account = state.addAccount({
		accountId: state.random.uuid(),
		organizationId: organization.organizationId,
		name,
		description,
		statusId: 1,
		createdAt: new Date(now).toISOString(),
		financialManagerCount: 0,
	});
	return { status: 200, body: views.account(account) };
};

/** List accounts. */
export const getAll: Handler<'account.getAll'> = ({ views, reach }) => ({
	status: 200,
	body: reach.accounts().map((account) => views.account(account)),
});
