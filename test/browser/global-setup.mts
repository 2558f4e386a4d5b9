import { announceStage, buildStage } from './stage.mts';

/** Builds the stage once for all test files. */
export default async function setUp(): Promise<void> {
	announceStage(await buildStage());
}
