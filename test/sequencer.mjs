import { readFileSync } from 'node:fs';

import TestSequencer from '@jest/test-sequencer';

/** Those first that don't use the stage: they run beside the others, and one of them takes as long as all of these. */
export default class extends TestSequencer {
	sort(tests) {
		const isApart = ({ path }) => readFileSync(path, 'utf8').startsWith('/** @jest-environment node */');
		const sorted = super.sort(tests);
		return [...sorted.filter(isApart), ...sorted.filter((test) => !isApart(test))];
	}
}
