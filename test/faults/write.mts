/** `npx node test/faults/write.mts`: writes docs/internals/faults.md. */
import { writeFileSync } from 'node:fs';

import buildPackage from '../build.mts';
import { format } from '../format.mts';
import { faultsDocument } from './document.mts';
import { faultsPage, playMatrix } from './run.mts';
import { Stage } from './stage.mts';

await buildPackage();
const stage = new Stage();
try {
	writeFileSync(faultsPage, faultsDocument(await playMatrix(stage)));
	format(faultsPage);
} finally {
	await stage.stop();
}
