import type { INode } from 'n8n-workflow';

/** A node, for what an error says of the one that it comes from. */
export const sendingNode: INode = {
	id: 'n',
	name: 'Send',
	type: 'messaging',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};
