import { notFound, Problem } from '../problem.mts';
import { differing, type Handler } from './call.mts';

/** Create account. An account key reaches its own account only, so it can't create one. */
export const create: Handler<'account.create'> = ({ state, views, reach, body, now }) => {
	const { organizationId, name = null, description = null } = body;
	const isOther = differing([organizationId ?? undefined, reach.organizationId, '']).length > 0;
	if (isOther) throw notFound('organization', organizationId ?? '');
	if (!reach.wholeOrganization) throw new Problem(403, 'Only an organization key can create an account.');
	const account = {
		...{ accountId: state.random.uuid(), organizationId: reach.organizationId, name, description },
		createdAt: new Date(now).toISOString(),
	};
	state.accounts.set(account.accountId, account);
	return { status: 200, body: views.account(account) };
};

/** List accounts. */
export const getAll: Handler<'account.getAll'> = ({ views, reach }) => ({
	status: 200,
	body: reach.accounts().map((account) => views.account(account)),
});
