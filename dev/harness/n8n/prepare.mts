/** `npx node dev/harness/n8n/prepare.mts`: installs n8n if it is missing, so that tests and demo need not wait for it. */
import { ensureN8n } from './install.mts';
import { SetupProblem } from './node24.mts';

try {
	await ensureN8n();
} catch (error) {
	console.error(error instanceof SetupProblem ? error.message : error);
	process.exitCode = 1;
}
