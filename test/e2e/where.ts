import { type ExampleName, readExample } from '../../dev/harness/examples.ts';
import { messagingType } from '../../dev/harness/workflows.ts';
import { humanInTheLoop, lackingInTitle, nodeVersion } from './needs.ts';
import { enterStage } from './stage.ts';

/** How tests are written that need something which an older n8n does not have. */
export interface Where {
	/** Jest's own, or one that skips. */
	readonly it: jest.It;
	readonly describe: jest.Describe;
	/** To be put behind the title: what n8n lacks. */
	readonly lacking: string;
}

/** Tests that are skipped where n8n does not have what they need. */
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

/** Tests of an example, for which n8n needs to have the versions of the nodes in it. */
export function whereRuns(name: ExampleName): Where {
	const types = new Set(
		readExample(name).nodes.map(({ type, typeVersion }) =>
			type === `${messagingType}HitlTool` ? humanInTheLoop : nodeVersion(type, typeVersion),
		),
	);
	return where([...types]);
}

/** A test that looks for something else where n8n lacks something, and says so in its title. */
export function otherwise(need: string): { readonly lacks: boolean; readonly lacking: string } {
	const lacks = enterStage().stage.offer.lacks.includes(need);
	return { lacks, lacking: lackingInTitle(lacks ? [need] : []) };
}
