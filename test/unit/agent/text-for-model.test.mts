import { encodingForModel } from 'js-tiktoken';
import type { IExecuteFunctions } from 'n8n-workflow';

import { Ledger } from '../../../nodes/Messaging/delivery/ledger.ts';
import { itemError, stopError } from '../../../nodes/Messaging/report/output.ts';
import { reportOn } from '../../../nodes/Messaging/report/report.ts';
import { textForModel } from '../../../nodes/Messaging/agent/text-for-model.ts';
import { modelFieldsOf } from '../../../nodes/Messaging/agent/tool-input.ts';
import { whyUnusable } from '../../../nodes/Messaging/agent/caller.ts';
import * as wording from '../../../nodes/Messaging/delivery/wording.ts';
import { InvalidParameter } from '../../../nodes/Messaging/input/invalid-parameter.ts';
import { refusal } from '../../../nodes/Messaging/delivery/wording.ts';
import { findOperation } from '../../../nodes/Messaging/operations/index.ts';
import type { Failure } from '../../../nodes/Messaging/service/endings.ts';
import {
	failureOfForeignReply,
	failureOfReply,
	failureOfTransport,
} from '../../../nodes/Messaging/service/failure.ts';
import { fakeN8n, jsonResponse } from '../support/fake-n8n.mts';

const encoding = encodingForModel('gpt-4o');
const tokensOf = (text: string): number => encoding.encode(text).length;

type Kind = Partial<Pick<Ledger, 'effect' | 'modelFields'>> & { type?: string };

/** The report on a failure of an agent's call. */
function reportOf(failure: Failure, { type = 'messagingTool', ...kind }: Kind = {}) {
	const { context } = fakeN8n(jsonResponse('{}'));
	Object.assign(context, { getNode: () => ({ name: 'Messaging', type }) });
	const ledger = Object.assign(new Ledger(context), { effect: 'sends', ...kind });
	return { context, ledger, report: reportOn(ledger, { failure, item: 0 }) };
}

const textOf = (failure: Failure, kind?: Kind): string =>
	textForModel(failure, reportOf(failure, kind).ledger);

const call = { method: 'POST', path: '/api/v1/message/SendMessage' } as const;
const reply = (status: number, body: unknown = {}, headers = {}) => ({ status, headers, body });
const lost = failureOfTransport({ code: 'ECONNRESET', stage: 'underWay' });

const refused = (status: number, body: object) => failureOfReply(reply(status, body), call);
const aboutField = refused(400, { title: 'Not valid', errors: { 'content.to.email': ['unknown'] } });
const about = (field: string, reason = 'is empty') =>
	refusal(new InvalidParameter(field, reason, 'Enter it.'));

const correct = 'Correct that and call again, or tell a person.';
const dontCall = 'Do not call again; tell a person.';
const blankReview = whyUnusable(
	{
		getNode: () => ({ type: 'messagingHitlTool', name: 'Ask' }),
		getExecuteData: () => ({ node: { name: 'Ask' } }),
		getInputData: () => [{ json: {} }],
	} as unknown as IExecuteFunctions,
	{ waits: true },
) as Failure;
const fills = { modelFields: ['To Email', 'To Fields'] };

test.each<[string, Failure, Kind, outcome: string, happened: string, next: string]>([
	['in doubt', lost, fills, 'MAYBE SENT', 'The connection broke', dontCall],
	['in doubt, nothing sent', lost, { effect: 'changes' }, 'MAYBE DONE', 'The connection broke', dontCall],
	['a value refused', aboutField, fills, 'NOT SENT', 'Not valid: content.to.email: unknown.', correct],
	[
		'one that no model fills in',
		aboutField,
		{},
		'NOT SENT',
		'Not valid: content.to.email: unknown.',
		dontCall,
	],
	['a state refused', refused(409, { title: 'Conflict' }), fills, 'NOT SENT', 'Conflict.', dontCall],
	['the key refused', refused(401, { title: 'Go away' }), fills, 'NOT SENT', 'Go away.', dontCall],
	['refused for now', refused(429, { title: 'Too many' }), fills, 'NOT SENT', 'Too many.', dontCall],
	['a field of the model', about('To Email'), fills, 'NOT SENT', 'The field "To Email" is empty.', correct],
	['a part of one', about('To Fields > phone'), fills, 'NOT SENT', 'The field "To Fields > phone"', correct],
	['another field', about('To Email'), {}, 'NOT SENT', 'The field "To Email" is empty.', dontCall],
	[
		'a value that the model may not send',
		about('To Email', 'is set by the workflow: call the tool without email'),
		{},
		...(['NOT SENT', 'The field "To Email" is set by', correct] as const),
	],
	[
		'a review without parameters',
		blankReview,
		{},
		'NOT SENT',
		'Nobody was asked: the question would',
		correct,
	],
	['a used key', wording.SAME_KEY, fills, 'NOT SENT', 'The item was not sent: this execution', dontCall],
])('the outcome, what happened, and what to do: %s', (_what, failure, kind, outcome, happened, next) => {
	const text = textOf(failure, kind);
	expect(text.startsWith(`${outcome} (outcome: ${failure.outcome}): ${happened}`)).toBe(true);
	expect(text.endsWith(next)).toBe(true);
});

test('the fields that a model fills in are known by their labels', () => {
	const operation = findOperation('message', 'send');
	const parameters = {
		toEmail: "={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('To_Email', ``, 'string') }}",
		text: '={{ $json.text }}',
		additionalFields: { correlationId: "={{ $fromai('id') }}", priority: 1 },
	};
	const labels = modelFieldsOf(operation?.fields ?? [], parameters);
	expect(new Set(labels)).toEqual(new Set(['To Email', 'Correlation ID']));
	// One that the model fills in as a whole, and a name that the collection does not have.
	const ofCollection = (additionalFields: unknown) =>
		modelFieldsOf(operation?.fields ?? [], { additionalFields });
	expect(ofCollection("={{ $fromAI('fields') }}")).toEqual(['Additional Fields']);
	expect(ofCollection({ subject: "={{ $fromAI('subject') }}" })).toEqual([]);
});

test('it is the whole error of a tool, whether On Error continues or not', () => {
	const { context, ledger, report } = reportOf({ ...lost, problem: { title: 'x' } });
	const text = textForModel(lost, ledger);
	expect(itemError(report)).toEqual({ message: text, outcome: 'unknown' });
	const { message, description } = stopError(context, { failure: lost, item: 0 }, ledger);
	expect([message, description]).toEqual([text, '']);
});

test('a person reads what a reviewer says, a model never', () => {
	const { report } = reportOf(lost, { type: 'messagingHitlTool' });
	expect(itemError(report)).toMatchObject({ message: lost.message, statusCode: null });
});

/** The context of a call that an agent makes itself. */
const subNode = { getNextRunIndex: () => 0 } as unknown as IExecuteFunctions;

const redirect = reply(303, {}, { location: 'https://other.example/api/v1/Me' });

test.each<[string, Failure]>([
	['a long key in doubt', wording.keyIsInDoubt(`order ${'7'.repeat(300)}`)],
	['a doubt in front of a refusal', wording.stillInDoubt(refused(400, { title: 'Not valid' }))],
	['too many keys', wording.tooManyKeys(20_500)],
	['a caller that can not wait', whyUnusable(subNode, { waits: true }) as Failure],
	['held back', wording.NOT_STARTED.full],
	['a lookup that failed', wording.notLookedUp(lost)],
	['a certificate', failureOfTransport({ code: 'CERT_UNTRUSTED', stage: 'securing' })],
	['a redirect', failureOfReply(redirect, call)],
	['a web page', failureOfForeignReply(reply(200, '<html>'), call)],
])('short, and in words for a model: %s', (_name, failure) => {
	for (const kind of [{}, { effect: 'changes' }, { effect: 'reads' }] satisfies Kind[]) {
		const text = textOf(failure, kind);
		// Labels may have any word.
		expect(text.replace(/"[^"]*"/g, '')).not.toMatch(
			/\bexecution|\boption|\bcredential|\beditor|\bn8n|undefined/i,
		);
		expect(tokensOf(text)).toBeLessThanOrEqual(60);
		expect(text).toMatch(/\.$/);
	}
});

test('what a service says at length is cut', () => {
	const title = 'The recipient is not known to the provider of this channel. '.repeat(20);
	expect(tokensOf(textOf(refused(400, { title })))).toBeLessThanOrEqual(60);
});
