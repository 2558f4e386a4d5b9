import { onTeardown } from '../../dev/harness/teardown-list.ts';
import { announceStage, buildStage } from './stage.ts';

/** Builds the stage once for all test files. */
export default async function setUp(): Promise<void> {
	const stage = await buildStage();
	onTeardown(stage.takeDown);
	announceStage(stage);
}
