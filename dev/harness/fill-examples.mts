import { readExample, withAssignments, withParameters } from './examples.mts';
import type { ExampleName } from './examples.mts';
import type { WorkflowFile } from './n8n/api.mts';
import { byId } from './workflows.mts';
import type { World } from './world.mts';

/** A channel as the editor keeps it: picked from the list, with its name. */
const picked = (world: World, name: string) => ({
	...byId(world.channel(name).channelId),
	mode: 'list',
	cachedResultName: name,
});

/** The example workflows, filled in with records of the sandbox where a person would choose their own. */
export const filledExamples: Readonly<Record<ExampleName, (world: World) => WorkflowFile>> = {
	'webhook-to-message': (world) =>
		withParameters(readExample('webhook-to-message'), {
			'Send Message': { channelId: picked(world, 'Shop Newsletter') },
		}),
	'scheduled-outbox-requeue': (world) =>
		withParameters(
			withAssignments(readExample('scheduled-outbox-requeue'), 'Settings', {
				worthRetry: '={{ ["Failed"] }}',
				onItsWay: '={{ ["Pending"] }}',
				maxTries: 2,
			}),
			{ 'Send Alarm': { channelId: picked(world, 'Support E-mail') } },
		),
	'channel-overview': () => readExample('channel-overview'),
	'channel-alarm': (world) => {
		const channelId = picked(world, 'Support E-mail');
		return withParameters(readExample('channel-alarm'), {
			'Send Alarm': { channelId },
			'Send All-Clear': { channelId },
		});
	},
	'key-rotation-reminder': (world) =>
		withParameters(readExample('key-rotation-reminder'), {
			'Send Reminder': { channelId: picked(world, 'Support E-mail') },
		}),
	'bulk-send-with-error-branch': (world) =>
		withParameters(readExample('bulk-send-with-error-branch'), {
			'Send to Each Row': { channelId: picked(world, 'Shop Newsletter') },
		}),
	// Each row names its channel.
	'bulk-send-from-a-table': () => readExample('bulk-send-from-a-table'),
	inbox: (world) =>
		withParameters(readExample('inbox'), {
			'Send Message': { channelId: picked(world, 'Shop Newsletter') },
		}),
	'new-customer': (world) => {
		const providerOf = (channel: string) => byId(world.channel(channel).provider?.providerId ?? '');
		return withParameters(readExample('new-customer'), {
			'Create Delivery Channel': { providerId: providerOf('Support Ticket Hook') },
			'Create Customer Channel': {
				channelType: { ...byId('EMAIL'), mode: 'name' },
				providerId: providerOf('Support E-mail'),
				parameters: '{"host":"mail.example.com","fromAddress":"shop@example.com","port":25}',
			},
		});
	},
	// They answer through the channel that a message came through.
	'answer-a-customer': () => readExample('answer-a-customer'),
	'agent-answers-a-customer': () => readExample('agent-answers-a-customer'),
	'several-messages-one-answer': () => readExample('several-messages-one-answer'),
	'person-takes-over': (world) =>
		withParameters(readExample('person-takes-over'), {
			'Tell a Colleague': { channelId: picked(world, 'Support E-mail') },
		}),
	'answer-in-the-chat': (world) => {
		const channelId = picked(world, 'Support E-mail');
		const senders = ['Ask', 'Confirm', 'Decline', 'Tell a Colleague'];
		return withParameters(
			readExample('answer-in-the-chat'),
			Object.fromEntries(senders.map((name) => [name, { channelId }])),
		);
	},
	'approval-before-order': (world) => {
		const channelId = picked(world, 'Support E-mail');
		const senders = ['Ask for Approval', 'Confirm Order', 'Decline Order', 'Tell That Nobody Answered'];
		return withParameters(
			readExample('approval-before-order'),
			Object.fromEntries(senders.map((name) => [name, { channelId }])),
		);
	},
	'agent-asks-a-person': (world) =>
		withParameters(readExample('agent-asks-a-person'), {
			'Ask a Person First': { channelId: picked(world, 'Support E-mail') },
			'Promise Refund': { channelId: picked(world, 'Support E-mail') },
		}),
	'second-channel': (world) =>
		withParameters(readExample('second-channel'), {
			'Send by E-mail': { channelId: picked(world, 'Shop Newsletter') },
			'Send to Phone': { channelId: picked(world, 'Support WhatsApp') },
		}),
};
