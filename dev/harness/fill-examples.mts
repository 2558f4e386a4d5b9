import type { INodeParameters } from 'n8n-workflow';

import { readExample, withAssignments, withParameters } from './examples.mts';
import type { WorkflowFile } from './n8n/api.mts';
import { byId } from './workflows.mts';
import type { World } from './world.mts';

/**
 * The nodes of examples that send through a channel, by the channel's name. Examples without any answer through the
 * channel that a message came through, read its name from a row, or send nothing.
 */
const senders: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
	'webhook-to-message': { 'Shop Newsletter': ['Send Message'] },
	'scheduled-outbox-requeue': { 'Support E-mail': ['Send Alarm'] },
	'watch-outbox-entries': { 'Support E-mail': ['Send Alarm'] },
	'channel-alarm': { 'Support E-mail': ['Send Alarm', 'Send All-Clear'] },
	'bulk-send-with-error-branch': { 'Shop Newsletter': ['Send to Each Row'] },
	'bulk-send-from-a-table': { 'Support E-mail': ['Ask for Approval'] },
	inbox: { 'Shop Newsletter': ['Send Message'] },
	'answer-a-customer': { 'Support E-mail': ['Tell of the Loop'] },
	'agent-answers-a-customer': { 'Support E-mail': ['Tell of the Loop', 'Tell a Colleague'] },
	'person-takes-over': { 'Support E-mail': ['Tell of the Loop', 'Tell a Colleague'] },
	'answer-in-the-chat': {
		'Support E-mail': ['Ask', 'Confirm', 'Decline', 'Tell a Colleague', 'Tell of the Loop'],
	},
	'approval-before-order': {
		'Support E-mail': ['Ask for Approval', 'Confirm Order', 'Decline Order', 'Tell That Nobody Answered'],
	},
	'agent-asks-a-person': { 'Support E-mail': ['Ask a Person First', 'Promise Refund'] },
	'second-channel': { 'Shop Newsletter': ['Send by E-mail'], 'Support WhatsApp': ['Send to Phone'] },
};

/** What else a person fills in. */
function filledFurther(name: string, example: WorkflowFile, world: World): WorkflowFile {
	if (name === 'scheduled-outbox-requeue') {
		const parameters = [
			{ name: 'channelId', value: world.channel('Support Ticket Hook').channelId },
			{ name: 'statusName', value: 'Failed' },
		];
		return withParameters(example, {
			'Failed Entries': { path: '/sandbox/outbox', queryParameters: { parameters } },
		});
	}
	if (name === 'watch-outbox-entries') {
		const statuses = { worthRetry: '={{ ["Failed"] }}', onItsWay: '={{ ["Pending"] }}' };
		return withAssignments(example, 'Settings', { ...statuses, maxTries: 2 });
	}
	if (name !== 'new-customer') return example;
	const providerOf = (channel: string) => byId(world.channel(channel).provider?.providerId ?? '');
	return withParameters(example, {
		'Create Delivery Channel': { providerId: providerOf('Support Ticket Hook') },
		'Create Customer Channel': {
			channelType: { ...byId('EMAIL'), mode: 'name' },
			providerId: providerOf('Support E-mail'),
			parameters: '{"host":"mail.example.com","fromAddress":"shop@example.com","port":25}',
		},
	});
}

/** An example workflow, filled in with records of the sandbox where a person would choose their own. */
export function filledExample(name: string, world: World): WorkflowFile {
	const channels = Object.entries(senders[name] ?? {}).flatMap(([channel, nodes]) => {
		// As the editor keeps it: picked from the list, with its name.
		const channelId = { ...byId(world.channel(channel).channelId), mode: 'list', cachedResultName: channel };
		return nodes.map((node): [string, INodeParameters] => [node, { channelId }]);
	});
	return filledFurther(name, withParameters(readExample(name), Object.fromEntries(channels)), world);
}
