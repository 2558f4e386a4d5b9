import { announceStage, buildStage } from './stage.ts';

/** Builds the stage once for all test files. */
export default async function setUp(): Promise<void> {
	announceStage(await buildStage());
}
