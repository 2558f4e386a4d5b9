import { isReviewer, isTool } from '../../../nodes/Messaging/shared/tool.ts';
import { sendingNode } from '../support/sending-node.mts';

test.each([
	['messaging', false, false],
	['messagingTool', true, false],
	['messagingHitlTool', true, true],
])('%s: called by an agent %p, asks before another tool %p', (name, tool, reviewer) => {
	const context = { getNode: () => ({ ...sendingNode, type: `n8n-nodes-unified-messaging.${name}` }) };
	expect([isTool(context), isReviewer(context)]).toEqual([tool, reviewer]);
});
