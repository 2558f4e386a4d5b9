import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { hasNothingToReview } from '../../../nodes/Messaging/agent/reviewer.ts';

const called = (type: string, ...items: IDataObject[]) =>
	hasNothingToReview({
		getNode: () => ({ type }),
		getInputData: () => items.map((json) => ({ json })),
	} as unknown as IExecuteFunctions);

test('a reviewer that is called without what the tool is to do asks nobody', () => {
	const reviewer = 'n8n-nodes-unified-messaging.messagingHitlTool';
	expect(called(reviewer, { tool: 'Refund' })).toBe(true);
	expect(called(reviewer, { tool: 'Refund', toolParameters: '' })).toBe(true);
	// A tool may have no parameters, and some models send them as text.
	for (const toolParameters of [{}, { text: 'A refund' }, '{"text": "A refund"}']) {
		expect(called(reviewer, { tool: 'Refund', toolParameters })).toBe(false);
	}
	expect(called('n8n-nodes-unified-messaging.messaging', {})).toBe(false);
});
