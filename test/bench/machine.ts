/** What the numbers were measured on. */
import { cpus, totalmem } from 'node:os';
import type { N8nInstallation } from '../../dev/harness/n8n/install.ts';

/** The machine and the versions in one sentence each, for the document. */
export function describeMachine({ node, version }: N8nInstallation): string[] {
	const [first] = cpus();
	const gigabytes = Math.round(totalmem() / 2 ** 30);
	return [
		`Machine: ${cpus().length} cores (${first?.model.trim() ?? process.arch}), ${gigabytes} GB of memory, ${process.platform} ${process.arch}`,
		`n8n ${version} on Node.js ${node.version}, with SQLite as its database`,
	];
}
