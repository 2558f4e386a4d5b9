/**
 * What these tests need of n8n and an older one does not have. The tests that it concerns name it in their titles: they
 * are skipped there, or look for what that n8n does instead.
 */

/** That n8n offers nodes that ask a person as the human in the loop of an AI agent. */
export const humanInTheLoop = 'human in the loop';

/** That n8n itself refuses a link to a waiting execution that was changed. */
export const linkCheck = 'check of links';

/** That n8n shows the page after an answer only once the execution goes on with that answer. */
export const answersInTurn = 'answers in turn';

/** That an execution fails, and is kept, when a parameter keeps it from starting. */
export const failedStart = 'execution of what can not start';

/** That nothing is kept of an execution that was stopped, so that nobody can retry it. */
export const stoppedForGood = 'end of what was stopped';

/** A version of a node of n8n's own. */
export const nodeVersion = (type: string, version: number): string => `${type} ${version}`;

/** The version of the AI agent that a refusal of a tool does not stop. */
export const agentThatGoesOn = nodeVersion('@n8n/n8n-nodes-langchain.agent', 3.1);

/** What is put behind the title of a test that n8n lacks something for; nothing when it lacks nothing. */
export const lackingInTitle = (lacking: readonly string[]): string =>
	lacking.length === 0 ? '' : ` [n8n lacks: ${lacking.join(', ')}]`;
