/**
 * What these tests need that an older n8n lacks. The tests concerned name it in their titles there; they are skipped, or
 * expect what that n8n does instead.
 */
import { type ExampleName, readExample } from '../../dev/harness/examples.ts';
import { messagingType } from '../../dev/harness/workflows.ts';
import { enterStage } from './stage.ts';

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

/** How to declare tests that need something which an older n8n lacks. */
export interface Where {
	/** Jest's `it`, or one that skips. */
	readonly it: jest.It;
	readonly describe: jest.Describe;
	/** The suffix for the title: what n8n lacks. */
	readonly lacking: string;
}

/** Tests that are skipped if n8n lacks what they need. */
export function where(needs: readonly string[]): Where {
	const { lacks } = enterStage().stage.offer;
	const lacking = needs.filter((need) => lacks.includes(need));
	const isThere = lacking.length === 0;
	return {
		it: isThere ? it : it.skip,
		describe: isThere ? describe : describe.skip,
		lacking: lackingInTitle(lacking),
	};
}

/** Tests of an example, skipped if n8n lacks its node versions. */
export function whereRuns(name: ExampleName): Where {
	const types = new Set(
		readExample(name).nodes.map(({ type, typeVersion }) =>
			type === `${messagingType}HitlTool` ? humanInTheLoop : nodeVersion(type, typeVersion),
		),
	);
	return where([...types]);
}

/** For a test that expects something else if n8n lacks this, and says so in its title. */
export function otherwise(need: string): { readonly lacks: boolean; readonly lacking: string } {
	const lacks = enterStage().stage.offer.lacks.includes(need);
	return { lacks, lacking: lackingInTitle(lacks ? [need] : []) };
}
