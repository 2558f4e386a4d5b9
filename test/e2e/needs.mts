/**
 * What these tests need that an older n8n lacks. The tests concerned name it in their titles there; they are skipped, or
 * expect what that n8n does instead.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { exampleNames, readExample } from '../../dev/harness/examples.mts';
import { ensureN8n, type N8nInstallation } from '../../dev/harness/n8n/install.mts';
import { messagingType } from '../../dev/harness/workflows.mts';
import { enterStage } from './stage.mts';

/** An installed n8n, as far as it shows what it offers. */
interface Inspected {
	/** The names of all its nodes. */
	readonly types: readonly string[];
	/** The path of one of its files, which may be missing. */
	readonly file: (path: string) => string;
}

/** What the tests need, by the words for it in their titles, and how to find out whether an n8n has it. */
const features = {
	/** n8n offers nodes that ask a person as the human in the loop of an AI agent. */
	'human in the loop': ({ types }: Inspected) =>
		types.some((name) => name.endsWith('HitlTool') && !name.startsWith(messagingType)),
	/** n8n itself refuses a changed link to a waiting execution, and has a page for that. */
	'check of links': ({ file }: Inspected) => existsSync(file('templates/form-invalid-token.handlebars')),
};

type Feature = keyof typeof features;

const agentType = '@n8n/n8n-nodes-langchain.agent';

type NodeVersion = `${string} ${number}`;

/** The version of the AI agent that continues when a tool refuses: the newest one that the tests use. */
const newestAgent = 3.1;
export const agentThatGoesOn: NodeVersion = `${agentType} ${newestAgent}`;

/** Which of the tests' needs the n8n under test meets. */
export interface Offer {
	readonly lacks: readonly string[];
	/** The version of the AI agent that the tests use. */
	readonly agentVersion: number;
}

/** The n8n under test: the project's, or the one that `npx node test/compat/main.mts --e2e` names. */
export async function n8nUnderTest(): Promise<N8nInstallation> {
	const { E2E_N8N: folder } = process.env;
	return await ensureN8n(folder === undefined ? {} : { folder });
}

/** What an example's nodes need of n8n. */
const needsOf = (name: string): Array<Feature | NodeVersion> =>
	readExample(name).nodes.flatMap(({ type, typeVersion }) => {
		if (!type.startsWith(messagingType)) return [`${type} ${typeVersion}` as const];
		return type.endsWith('HitlTool') ? ['human in the loop' as const] : [];
	});

/**
 * Finds out what an n8n offers.
 *
 * @param described the descriptions of all its nodes
 */
export function offerOf(
	described: ReadonlyArray<Record<string, unknown>>,
	{ folder }: Pick<N8nInstallation, 'folder'>,
): Offer {
	const types = described.map(({ name }) => String(name));
	const versions = described.flatMap(({ name, version: all }) =>
		[all as number | number[]].flat().map((each) => ({ type: String(name), each })),
	);
	const inspected = { types, file: (path: string) => join(folder, 'node_modules/n8n', path) };
	const offered = new Set<string>(versions.map(({ type, each }) => `${type} ${each}`));
	for (const [feature, has] of Object.entries(features)) if (has(inspected)) offered.add(feature);
	const needed = new Set<string>([...Object.keys(features), ...exampleNames.flatMap(needsOf)]);
	return {
		lacks: [...needed].filter((need) => !offered.has(need)),
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
export function having(...needs: ReadonlyArray<Feature | NodeVersion>): Having {
	const { lacks: lacking } = enterStage().stage.offer;
	const missing = needs.filter((need) => lacking.includes(need));
	const lacks = missing.length > 0;
	return {
		lacks,
		lacking: lacks ? ` [n8n lacks: ${missing.join(', ')}]` : '',
		it: lacks ? it.skip : it,
		describe: lacks ? describe.skip : describe,
	};
}

/** For the tests of an example. */
export const havingNodesOf = (name: string): Having => having(...needsOf(name));
