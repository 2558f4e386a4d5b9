/**
 * What these tests need that an older n8n lacks. The tests concerned name it in their titles there; they are skipped, or
 * expect what that n8n does instead.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { type ExampleName, exampleNames, readExample } from '../../dev/harness/examples.mts';
import { ensureN8n, type N8nInstallation } from '../../dev/harness/n8n/install.mts';
import { messagingType } from '../../dev/harness/workflows.mts';
import { enterStage } from './stage.mts';

/** n8n offers nodes that ask a person as the human in the loop of an AI agent. */
export const humanInTheLoop = 'human in the loop';

/** n8n itself refuses a changed link to a waiting execution. */
export const linkCheck = 'check of links';

/** n8n shows the page after an answer only once the execution resumes with that answer. */
export const answersInTurn = 'answers in turn';

/** Nothing is saved of a stopped execution, so that it can't be retried. */
export const stoppedForGood = 'end of what was stopped';

/** The Migration Report knows version 3 of n8n. */
export const reportForVersion3 = 'Migration Report for n8n 3';

/** n8n installs the community packages that its environment names. */
export const packagesFromEnvironment = 'community packages from the environment';

const agentType = '@n8n/n8n-nodes-langchain.agent';

/** A version of one of n8n's nodes. */
const nodeVersion = (type: string, version: number): string => `${type} ${version}`;

/** The version of the AI agent that continues when a tool refuses: the newest one that the tests use. */
const newestAgent = 3.1;
export const agentThatGoesOn = nodeVersion(agentType, newestAgent);

/** Which of the tests' needs the n8n under test meets. */
export interface Offer {
	readonly lacks: readonly string[];
	/** The version of the AI agent that the tests use. */
	readonly agentVersion: number;
}

/** The n8n under test: the project's, or the one that `npm run compat -- --e2e` names. */
export async function n8nUnderTest(): Promise<N8nInstallation> {
	const { E2E_N8N: folder } = process.env;
	return await ensureN8n(folder === undefined ? {} : { folder });
}

/** What an example's nodes need of n8n. */
const needsOf = (name: ExampleName): string[] =>
	readExample(name)
		.nodes.filter(({ type }) => !type.startsWith(messagingType) || type.endsWith('HitlTool'))
		.map(({ type, typeVersion }) =>
			type.startsWith(messagingType) ? humanInTheLoop : nodeVersion(type, typeVersion),
		);

/**
 * Finds out what an n8n offers.
 *
 * @param types the descriptions of all its nodes
 */
export function offerOf(
	types: ReadonlyArray<Record<string, unknown>>,
	{ folder, version }: Pick<N8nInstallation, 'folder' | 'version'>,
): Offer {
	const versions = types.flatMap(({ name, version: all }) =>
		[all as number | number[]].flat().map((each) => ({ type: String(name), each })),
	);
	const asksPeople = types.some(
		({ name }) => String(name).endsWith('HitlTool') && !String(name).startsWith(messagingType),
	);
	const n8n = join(folder, 'node_modules/n8n');
	const answers = readFileSync(join(n8n, 'dist/webhooks/webhook-helpers.js'), 'utf8');
	const offered = new Set([
		...versions.map(({ type, each }) => nodeVersion(type, each)),
		...(asksPeople ? [humanInTheLoop] : []),
		// The page that n8n shows for a changed link.
		...(existsSync(join(n8n, 'templates/form-invalid-token.handlebars')) ? [linkCheck] : []),
		...(answers.includes('DeferOnReceived') ? [answersInTurn] : []),
		...(existsSync(join(n8n, 'dist/modules/breaking-changes/rules/v3')) ? [reportForVersion3] : []),
		...(existsSync(
			join(n8n, 'dist/instance-settings-loader/loaders/community-packages.instance-settings-loader.js'),
		)
			? [packagesFromEnvironment]
			: []),
		// This can't be detected; it is known for 2.0, the only older version tested.
		...(version.startsWith('2.0.') ? [] : [stoppedForGood]),
	]);
	const needed = [
		linkCheck,
		answersInTurn,
		stoppedForGood,
		reportForVersion3,
		packagesFromEnvironment,
		...exampleNames.flatMap(needsOf),
	];
	return {
		lacks: [...new Set(needed)].filter((need) => !offered.has(need)),
		agentVersion: Math.max(
			...versions.flatMap(({ type, each }) => (type === agentType && each <= newestAgent ? [each] : [])),
		),
	};
}

/** How to declare tests that need something which an older n8n lacks. */
export interface Having {
	readonly lacks: boolean;
	/** The suffix of a test's title: what n8n lacks. */
	readonly lacking: string;
	/** Jest's `it` and `describe`, or those that skip. */
	readonly it: jest.It;
	readonly describe: jest.Describe;
}

/** For tests that are skipped, or expect something else, if n8n lacks what they need. */
export function having(...needs: readonly string[]): Having {
	const missing = enterStage().stage.offer.lacks.filter((need) => needs.includes(need));
	const lacks = missing.length > 0;
	return {
		lacks,
		lacking: lacks ? ` [n8n lacks: ${missing.join(', ')}]` : '',
		it: lacks ? it.skip : it,
		describe: lacks ? describe.skip : describe,
	};
}

/** For the tests of an example. */
export const havingNodesOf = (name: ExampleName): Having => having(...needsOf(name));
