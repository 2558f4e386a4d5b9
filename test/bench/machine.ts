/** What the numbers were measured on. */
import { cpus, totalmem } from 'node:os';
import type { ExpressionEngine } from '../engine/protocol.ts';
import type { Peers } from './peers.ts';

/** The machine and the versions in one sentence each, for the document. */
export function describeMachine({ versions }: Peers, expressions: ExpressionEngine): string[] {
	const [first] = cpus();
	const gigabytes = Math.round(totalmem() / 2 ** 30);
	return [
		`Machine: ${cpus().length} cores (${first?.model.trim() ?? process.arch}), ${gigabytes} GB of memory, ${process.platform} ${process.arch}`,
		`Node.js ${process.versions.node}, n8n ${versions.n8n} (n8n-core ${versions.core}, n8n-nodes-base ${versions.nodes}) with the expression engine "${expressions}"`,
	];
}
