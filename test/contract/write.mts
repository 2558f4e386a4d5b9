/** Rewrites the contract with saved workflows from the built nodes: `npm run contract`. */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { ICredentialType, INodeType } from 'n8n-workflow';

import buildPackage from '../build.mts';
import { format } from '../format.mts';
import { contractFile, savedWorkflows } from './saved-workflows.mts';

const root = process.cwd();
await buildPackage();
const load = createRequire(join(root, 'dist', 'index.js'));
const { Messaging } = load('./nodes/Messaging/Messaging.node.js') as { Messaging: new () => INodeType };
const { MessagingTrigger } = load('./nodes/Messaging/MessagingTrigger.node.js') as {
	MessagingTrigger: new () => INodeType;
};
const { MessagingApi } = load('./credentials/MessagingApi.credentials.js') as {
	MessagingApi: new () => ICredentialType;
};

const contract = savedWorkflows(
	new Messaging().description,
	new MessagingTrigger().description,
	new MessagingApi(),
);
const path = join(root, contractFile);
const text = linesOf(contract);
writeFileSync(path, text);
format(path);
console.log(`Wrote ${contractFile}`);

/** JSON with each parameter on one line where it fits: the formatter keeps an object's first line break. */
function linesOf(value: object): string {
	const members = Object.entries(value).map(([name, member]) => {
		const isGroup = typeof member === 'object' && !Array.isArray(member) && !('type' in member);
		return `${JSON.stringify(name)}: ${isGroup ? linesOf(member as object) : JSON.stringify(member)}`;
	});
	return `{\n${members.join(',\n')}\n}`;
}
