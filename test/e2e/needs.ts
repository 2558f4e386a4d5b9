/**
 * What these tests need that an older n8n lacks. The tests concerned name it in their titles there; they are skipped, or
 * expect what that n8n does instead.
 */

/** n8n offers nodes that ask a person as the human in the loop of an AI agent. */
export const humanInTheLoop = 'human in the loop';

/** n8n itself refuses a changed link to a waiting execution. */
export const linkCheck = 'check of links';

/** n8n shows the page after an answer only once the execution resumes with that answer. */
export const answersInTurn = 'answers in turn';

/** An execution that can't start because of a parameter fails and is saved. */
export const failedStart = 'execution of what can not start';

/** Nothing is saved of a stopped execution, so that it can't be retried. */
export const stoppedForGood = 'end of what was stopped';

/** A version of one of n8n's nodes. */
export const nodeVersion = (type: string, version: number): string => `${type} ${version}`;

/** The version of the AI agent that continues when a tool refuses. */
export const agentThatGoesOn = nodeVersion('@n8n/n8n-nodes-langchain.agent', 3.1);

/** The suffix of a test's title when n8n lacks something for it. */
export const lackingInTitle = (lacking: readonly string[]): string =>
	lacking.length === 0 ? '' : ` [n8n lacks: ${lacking.join(', ')}]`;
