import { readChannels } from '../../../nodes/Messaging/trigger/channels.ts';

const listed = (...records: object[]) => [...(readChannels(records)?.channels.values() ?? [])];

const record = (given: object = {}) => ({
	channelId: 'c1',
	name: 'Support',
	isConnected: true,
	feedbackChannelId: 'f1',
	status: { channelStatusId: 1, isTerminalDeletionState: false },
	...given,
});

describe('a channel that is listed twice', () => {
	test('is one channel; what the entries disagree on is not known', () => {
		const other = record({
			channelId: 'C1',
			name: 'Support 2',
			isConnected: false,
			status: { channelStatusId: 3 },
		});
		const [channel, ...more] = listed(record(), other);
		expect(more).toEqual([]);
		expect(channel).toMatchObject({
			id: 'c1',
			facts: { name: 'Support', isConnected: null, channelStatusId: null, feedbackChannelId: 'f1' },
		});
	});

	test('is deleted only if both entries say so', () => {
		const deleted = record({ status: { channelStatusId: 1, isTerminalDeletionState: true } });
		expect(listed(record(), deleted)).toMatchObject([{ isDeleted: false }]);
		expect(listed(deleted, record())).toMatchObject([{ isDeleted: false }]);
		expect(listed(deleted, deleted)).toMatchObject([{ isDeleted: true }]);
	});
});
