import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Formats a file that a program has written, as `npm run format` does. */
export function format(file: string): void {
	const oxfmt = join(process.cwd(), 'node_modules', 'oxfmt', 'bin', 'oxfmt');
	execFileSync(process.execPath, [oxfmt, file], { stdio: ['ignore', 'ignore', 'inherit'] });
}
