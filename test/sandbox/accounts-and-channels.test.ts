import type { AccountView, ChannelView } from '../../dev/sandbox/records/views.ts';
import { unknownId, World } from './world.ts';

let world: World;
beforeAll(async () => (world = await World.start()));
afterAll(() => world.stop());
beforeEach(() => world.reset());

const accountPath = '/api/v1/Admin/Account';
const createPath = '/api/v1/message/Configure/CreateChannel';

describe('accounts', () => {
	test('an organization key creates one, with or without a name', async () => {
		const organizationId = world.state.organizations[0]?.organizationId;
		const named = await world.call<AccountView>('POST', accountPath, {
			body: { name: 'Acme Labs', description: 'New', organizationId },
		});
		expect(named.status).toBe(200);
		expect(named.body).toMatchObject({
			name: 'Acme Labs',
			description: 'New',
			status: { name: 'Active' },
			organization: { organizationId, accountCount: 3 },
			channelCount: 0,
		});
		const bare = await world.call<AccountView>('POST', accountPath, {
			body: { name: null, description: null, organizationId: null },
		});
		expect(bare.body).toMatchObject({ name: null, description: null, organization: { organizationId } });
		const { body } = await world.call<AccountView[]>('GET', accountPath);
		expect(body.map(({ name }) => name)).toEqual(['Acme Support', 'Acme Shop', 'Acme Labs', null]);
	});
});

describe('channels', () => {
	const channelBody = (): Record<string, unknown> => ({
		name: 'Second hook',
		description: 'A description',
		channelType: 'HTTP',
		providerId: world.providerId('http-sender'),
		accountId: world.accountId('Acme Shop'),
		feedbackChannelId: world.channelId('Support Feedback'),
		parameters: { url: 'https://second.acme.example/', nested: { a: [1] } },
		channelStatusId: 2,
	});

	test('one is created with everything given, and its feedback channel lists it', async () => {
		const { status, body } = await world.call<ChannelView>('POST', createPath, { body: channelBody() });
		expect(status).toBe(200);
		expect(body).toMatchObject({
			name: 'Second hook',
			description: 'A description',
			accountId: world.accountId('Acme Shop'),
			account: { name: 'Acme Shop' },
			channelType: { key: 'HTTP' },
			provider: { key: 'http-sender', channelTypeKey: 'HTTP' },
			status: { channelStatusId: 2, canSendAndReceiveMessage: false },
			parameters: channelBody()['parameters'],
			isConnected: false,
			devices: [],
			feedbackChannelSummary: { name: 'Support Feedback', channelType: 'WEBCHAT' },
			channelsSendingFeedback: [],
		});
		const { body: channels } = await world.call<ChannelView[]>('GET', '/api/v1/Admin/Channel');
		const feedback = channels.find(({ name }) => name === 'Support Feedback');
		expect(feedback?.channelsSendingFeedback.map(({ name }) => name)).toContain('Second hook');
		expect(channels).toHaveLength(11);
	});

	test.each<[string, () => object, number, string]>([
		[
			'a provider of another type',
			() => ({ providerId: world.providerId('smtp-relay') }),
			400,
			'providerId: SMTP relay provides EMAIL channels, not HTTP',
		],
		[
			'a feedback channel that can not be one',
			() => ({ feedbackChannelId: world.channelId('Support WhatsApp') }),
			400,
			"feedbackChannelId: a WHATSAPP channel can't be a feedback channel",
		],
		[
			'a type that needs a feedback channel',
			() => ({
				channelType: 'SMS',
				providerId: world.providerId('sms-gateway'),
				feedbackChannelId: undefined,
			}),
			400,
			'feedbackChannelId: a SMS channel needs one',
		],
		['an unknown account', () => ({ accountId: unknownId }), 404, `No account with id ${unknownId}.`],
		[
			'a foreign feedback channel',
			() => ({ feedbackChannelId: world.channelId('Globex E-mail') }),
			404,
			'No channel with id',
		],
	])('%s is refused', async (_case, change, status, detail) => {
		const answer = await world.call('POST', createPath, { body: { ...channelBody(), ...change() } });
		expect(answer.status).toBe(status);
		expect(answer.body.detail).toContain(detail);
		expect((await world.client.state()).channels).toEqual(world.state.channels);
	});
});
