/** `npm run n8n`: installs n8n where it is missing, so that nobody has to wait for it later. */
import { ensureN8n } from './install.ts';
import { SetupProblem } from './node24.ts';

try {
	await ensureN8n();
} catch (error) {
	console.error(error instanceof SetupProblem ? error.message : error);
	process.exitCode = 1;
}
