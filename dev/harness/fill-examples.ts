import { readExample, withAssignments, withParameters } from './examples.ts';
import type { ExampleName } from './examples.ts';
import type { WorkflowFile } from './n8n/api.ts';
import { byId } from './workflows.ts';
import type { World } from './world.ts';

/** The example workflows, filled in with records of the sandbox where a person would choose their own. */
export const filledExamples: Readonly<Record<ExampleName, (world: World) => WorkflowFile>> = {
	'webhook-to-message': (world) =>
		withParameters(readExample('webhook-to-message'), {
			'Send Message': { channelId: byId(world.channel('Shop Newsletter').channelId) },
		}),
	'scheduled-outbox-requeue': (world) => {
		const { channelId, accountId, organizationId } = world.channel('Support Ticket Hook');
		const entries = ['Sent', 'Failed'].flatMap((status) => world.entries('Support Ticket Hook', status));
		return withAssignments(readExample('scheduled-outbox-requeue'), 'Entries to Watch', {
			channelId,
			accountId,
			organizationId,
			entryIds: JSON.stringify(entries.map(({ httpSenderOutboxEntryId }) => httpSenderOutboxEntryId)),
		});
	},
	'channel-overview': () => readExample('channel-overview'),
	'channel-alarm': (world) => {
		const channelId = byId(world.channel('Support E-mail').channelId);
		return withParameters(readExample('channel-alarm'), {
			'Send Alarm': { channelId },
			'Send All-Clear': { channelId },
		});
	},
	'key-rotation-reminder': (world) =>
		withParameters(readExample('key-rotation-reminder'), {
			'Send Reminder': { channelId: byId(world.channel('Support E-mail').channelId) },
		}),
	'bulk-send-with-error-branch': (world) =>
		withParameters(readExample('bulk-send-with-error-branch'), {
			'Send to Each Row': { channelId: byId(world.channel('Shop Newsletter').channelId) },
		}),
	'agent-answers-by-message': (world) =>
		withParameters(readExample('agent-answers-by-message'), {
			'Send Answer': { channelId: byId(world.channel('Support WhatsApp').channelId) },
		}),
	'approval-before-order': (world) => {
		const { channelId } = world.channel('Support E-mail');
		const senders = ['Ask for Approval', 'Confirm Order', 'Decline Order', 'Tell That Nobody Answered'];
		return withParameters(
			readExample('approval-before-order'),
			Object.fromEntries(senders.map((name) => [name, { channelId: byId(channelId) }])),
		);
	},
	'agent-asks-a-person': (world) =>
		withParameters(readExample('agent-asks-a-person'), {
			'Ask a Person First': { channelId: byId(world.channel('Support WhatsApp').channelId) },
			'Promise Refund': { channelId: byId(world.channel('Support E-mail').channelId) },
		}),
	'second-channel': (world) =>
		withParameters(readExample('second-channel'), {
			'Send by E-mail': { channelId: byId(world.channel('Shop Newsletter').channelId) },
			'Send to Phone': { channelId: byId(world.channel('Support WhatsApp').channelId) },
		}),
};
