import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { whyUnusable } from '../../../nodes/Messaging/agent/caller.ts';

const called = (type: string, ...items: IDataObject[]) =>
	whyUnusable(
		{
			getNode: () => ({ type, name: 'Ask' }),
			getExecuteData: () => ({ node: { name: 'Ask' } }),
			getInputData: () => items.map((json) => ({ json })),
		} as unknown as IExecuteFunctions,
		{ waits: true },
	)?.outcome;

test('a reviewer that is called without what the tool is to do asks nobody', () => {
	const reviewer = 'n8n-nodes-unified-messaging.messagingHitlTool';
	expect(called(reviewer, { tool: 'Refund' })).toBe('unsent');
	expect(called(reviewer, { tool: 'Refund', toolParameters: '' })).toBe('unsent');
	// A tool may have no parameters, and some models send them as text.
	for (const toolParameters of [{}, { text: 'A refund' }, '{"text": "A refund"}']) {
		expect(called(reviewer, { tool: 'Refund', toolParameters })).toBeUndefined();
	}
	expect(called('n8n-nodes-unified-messaging.messaging', {})).toBeUndefined();
});
