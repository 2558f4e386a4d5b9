import { readFileSync } from 'node:fs';

import TestSequencer from '@jest/test-sequencer';

/** Files that don't use the stage come first: they run in parallel, and one takes as long as all others together. */
export default class extends TestSequencer {
	sort(tests) {
		const isApart = ({ path }) => readFileSync(path, 'utf8').startsWith('/** @jest-environment node */');
		const sorted = super.sort(tests);
		return [...sorted.filter(isApart), ...sorted.filter((test) => !isApart(test))];
	}
}
