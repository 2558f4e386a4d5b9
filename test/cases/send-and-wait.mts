import type { OperationCase, Parameters } from './case.mts';
import {
	ANSWER_LINK,
	anyUuid,
	badJson,
	badUuids,
	byId,
	fromList,
	ids,
	operationCase,
	refuses,
} from './values.mts';

const sending = '/api/v1/message/SendMessage';

const to = { type: 'EMAIL', email: 'ada@example.com' };

const asked = (label = 'Respond') => `May it go on?\n\n${label === '' ? '' : `${label}: `}${ANSWER_LINK}`;

const limited = (values: Parameters): Parameters => ({ options: { limitWaitTime: { values } } });

/** A form with these fields, as rows or as JSON. */
const form = (formFields: unknown): Parameters => ({ responseType: 'customForm', formFields });
const rows = (...values: unknown[]): Parameters => form({ values });
const json = (jsonOutput: unknown): Parameters => ({
	responseType: 'customForm',
	defineForm: 'json',
	jsonOutput,
});

const row = { fieldLabel: 'Reason', fieldType: 'text' };
const ofType = (fieldType: unknown): Parameters => rows(row, { fieldLabel: 'a', fieldType });
const withOption = (option: unknown): Parameters =>
	rows({ fieldLabel: 'a', fieldType: 'radio', fieldOptions: { values: [{ option }] } });

/** The link in a message sent by a real n8n. */
const withLink = (question: string): unknown =>
	expect.stringMatching(
		new RegExp(`^${question}\n\nRespond: http://\\S+/webhook-waiting/\\d+\\S+question=[\\da-f]{32}$`),
	) as unknown;

/** Test cases of asking a question and waiting for the answer. */
export const sendAndWaitCase: OperationCase = operationCase('POST', sending, {
	endpoint: 'message.send',
	calls: {
		least: {
			given: { channelId: fromList(ids.channel), toEmail: 'ada@example.com', message: 'May it go on?' },
			body: { packageId: ids.call, channelId: ids.channel, content: { text: asked(), to, type: 'TEXT' } },
		},
		most: {
			given: {
				addressType: 'other',
				toType: 'PHONE',
				toRows: { values: [{ name: 'phone', value: '+43' }] },
				responseType: 'customForm',
				formFields: { values: [row] },
				additionalFields: { otherContent: '{"priority": 1}' },
				options: {
					messageButtonLabel: 'Answer here',
					responseFormTitle: 'Order',
					responseFormDescription: 'Please check it',
					responseFormButtonLabel: 'Send',
					responseFormCustomCss: 'h1 { color: red; }',
					limitWaitTime: { values: { limitType: 'afterTimeInterval', resumeAmount: 1, resumeUnit: 'days' } },
				},
			},
			body: {
				packageId: ids.call,
				channelId: ids.channel,
				content: {
					text: asked('Answer here'),
					to: { phone: '+43', type: 'PHONE' },
					type: 'TEXT',
					priority: 1,
				},
			},
		},
	},
	required: ['channelId', 'toEmail', 'message'],
	refused: [
		refuses('Channel', (channelId) => ({ channelId: byId(channelId) }), ...badUuids),
		refuses('To Email', 'toEmail', {}, 'ada@'),
		refuses('Message', 'message', ['a']),
		refuses('Other Content Fields', 'additionalFields.otherContent', ...badJson),
		refuses('Other Content Fields > text', 'additionalFields.otherContent', { text: 'Hi' }),
		refuses('Amount', (resumeAmount) => limited({ resumeAmount }), 0, -1, 'soon', {}),
		refuses(
			'Max Date and Time',
			(maxDateAndTime) => limited({ limitType: 'atSpecifiedTime', maxDateAndTime }),
			...['', null, 'tomorrow', 5, '2020-01-01T00:00:00Z'],
		),
		refuses('Form Elements', form, {}, null, { values: [] }),
		refuses('Form Elements', (fieldLabel) => rows(row, { fieldLabel }), 'Reason', ' Reason ', 'respondedAt'),
		refuses('Form Elements > 1 > Label', (fieldLabel) => rows({ fieldLabel }), ' ', {}),
		refuses('Form Elements > 2 > Element Type', ofType, 'file'),
		refuses('Form Elements > 1 > Field Options', withOption, '', ' ', null),
		refuses('Form Fields', json, '', '[]', [], '{bad'),
		refuses('Form Fields > 1', (entry) => json([entry]), 1, 'text', { ...row, multipleFiles: true }),
		refuses(
			'Form Fields > 1 > Element Type',
			(fieldType) => json([{ fieldLabel: 'a', fieldType, multipleFiles: true }]),
			...['file', 'html', 'hiddenField'],
		),
		refuses('Form Fields > 1 > Label', (fieldLabel) => json([{ fieldLabel }]), '', null),
	],
	lane: {
		together: {
			'another question': { message: 'Really?' },
			'the address in upper case': { toEmail: 'ADA@example.com' },
			'the channel in upper case': { channelId: byId(ids.channel.toUpperCase()) },
		},
		apart: {
			'another address': { toEmail: 'grace@example.com' },
			'another channel': { channelId: byId(ids.feedback) },
		},
	},
	reply: { ownFields: { packageId: ids.call, channelId: ids.channel } },
	traits: ['waits'],
	scenarios: {
		'two people are asked': (world) => {
			const { channelId } = world.channel('Support E-mail');
			const items = [{ email: 'ada@example.com' }, { email: 'grace@example.com' }];
			return {
				items,
				parameters: {
					channelId: byId(channelId),
					toEmail: '={{ $json.email }}',
					message: '=May it go on, {{ $json.email }}',
					approvalOptions: { values: { approvalType: 'double' } },
				},
				requests: items.map(({ email }) => {
					const text = withLink(`May it go on, ${email}`);
					const content = { text, to: { type: 'EMAIL', email }, type: 'TEXT' };
					return { body: { packageId: anyUuid(), channelId, content } };
				}),
				// Until somebody answers, the input.
				output: items.map((json, item) => ({ json, pairedItem: { item } })),
			};
		},
	},
});
