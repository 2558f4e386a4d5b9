import { type ExampleName, readExample } from '../../dev/harness/examples.ts';
import { messagingType } from '../../dev/harness/workflows.ts';
import { humanInTheLoop, lackingInTitle, nodeVersion } from './needs.ts';
import { enterStage } from './stage.ts';

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
