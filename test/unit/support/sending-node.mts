import type { INode } from 'n8n-workflow';

/** A node for errors to name as their source. */
export const sendingNode: INode = {
	id: 'n',
	name: 'Send',
	type: 'messaging',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};
