import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { exampleNames, readExample } from '../../dev/harness/examples.ts';
import { ensureN8n, type N8nInstallation } from '../../dev/harness/n8n/install.ts';
import { ownPackage } from '../../dev/harness/n8n/paths.ts';
import {
	answersInTurn,
	failedStart,
	humanInTheLoop,
	linkCheck,
	nodeVersion,
	stoppedForGood,
} from './needs.ts';

/** Which of the tests' needs the n8n under test meets. */
export interface Offer {
	readonly lacks: readonly string[];
	/** The version of the AI agent that the tests use. */
	readonly agentVersion: number;
}

const agent = { type: '@n8n/n8n-nodes-langchain.agent', newest: 3.1 };

/** The n8n under test: the project's, or the one that `npm run compat -- --e2e` names. */
export async function n8nUnderTest(): Promise<N8nInstallation> {
	const { E2E_N8N: folder } = process.env;
	return await ensureN8n(folder === undefined ? {} : { folder });
}

/**
 * Finds out what an n8n offers.
 *
 * @param types the descriptions of all its nodes
 */
export function offerOf(
	types: ReadonlyArray<Record<string, unknown>>,
	{ folder, version }: Pick<N8nInstallation, 'folder' | 'version'>,
): Offer {
	const isOurs = (type: string): boolean => type.startsWith(`${ownPackage().name}.`);
	const versionsOf = (type: string): number[] =>
		types.filter(({ name }) => name === type).flatMap(({ version }) => version as number | number[]);
	const asksPeople = types.some(({ name }) => !isOurs(String(name)) && String(name).endsWith('HitlTool'));
	const n8n = join(folder, 'node_modules/n8n');
	// The page that n8n shows for a changed link.
	const checksLinks = existsSync(join(n8n, 'templates/form-invalid-token.handlebars'));
	const answers = readFileSync(join(n8n, 'dist/webhooks/webhook-helpers.js'), 'utf8');
	const missing = exampleNames
		.flatMap((name) => readExample(name).nodes)
		.filter(({ type, typeVersion }) => !isOurs(type) && !versionsOf(type).includes(typeVersion))
		.map(({ type, typeVersion }) => nodeVersion(type, typeVersion));
	return {
		lacks: [
			...(asksPeople ? [] : [humanInTheLoop]),
			...(checksLinks ? [] : [linkCheck]),
			...(answers.includes('DeferOnReceived') ? [] : [answersInTurn]),
			// These can't be detected; they are known for 2.0, the only older version tested.
			...(version.startsWith('2.0.') ? [failedStart, stoppedForGood] : []),
			...new Set(missing),
		],
		agentVersion: Math.max(...versionsOf(agent.type).filter((version) => version <= agent.newest)),
	};
}
