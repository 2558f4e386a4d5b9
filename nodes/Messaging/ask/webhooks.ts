import type { INodeTypeDescription } from 'n8n-workflow';

const PAGE = {
	name: 'default',
	path: '={{ $nodeId }}',
	isFullPath: true,
	restartWebhook: true,
	responseMode: 'onReceived',
	responseData: '',
} as const;

/** Where an execution that waits shows the page of its question, and takes the answer. */
export const answerWebhooks: NonNullable<INodeTypeDescription['webhooks']> = [
	{ ...PAGE, httpMethod: 'GET' },
	{ ...PAGE, httpMethod: 'POST' },
];

/** What the editor says while an execution waits. */
export const waitingTooltip =
	'={{ $parameter["operation"] === "sendAndWait" ? "Execution will continue after the user\'s response" : "" }}';
