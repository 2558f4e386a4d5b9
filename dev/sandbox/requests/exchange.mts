import type { FastifyReply, FastifyRequest } from 'fastify';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IncomingCall, Verdict } from '../interface/contract.mts';
import { Reach } from '../records/reach.mts';
import { Views } from '../records/views.mts';
import { runOperation } from '../routes/index.mts';
import { listOutbox, outboxListVerdict } from '../routes/outbox-list.mts';
import type { Sandbox } from '../sandbox.mts';
import type { FaultRule } from '../types.mts';
import { answerFully, answerWithHalf, hangUp, reset, type Reply } from './answer.mts';
import { incomingCall, keyOf, withoutToken } from './incoming.mts';
import { Problem, problemDetails } from './problem.mts';

/** Handles one API request, from its arrival to its answer or the lack of one. */
export async function exchange(
	sandbox: Sandbox,
	request: FastifyRequest,
	reply: FastifyReply,
	/** Why the HTTP server could not read the request, if it could not. */
	unreadable?: string,
): Promise<void> {
	reply.hijack();
	const call = incomingCall(request);
	const verdict = outboxListVerdict(call, sandbox.prefix) ?? sandbox.contract.check(call, sandbox.prefix);
	if (unreadable !== undefined) verdict.problems.push(`request: ${unreadable}`);
	const key = keyOf(sandbox.state, call);
	const entry = sandbox.log.begin({
		at: new Date().toISOString(),
		startedMs: performance.now(),
		method: call.method,
		path: call.path,
		query: call.query,
		headers: withoutToken(call.headers, key),
		bodyText: call.bodyText,
		body: call.body ?? null,
		operationId: verdict.operationId,
		conforms: verdict.problems.length === 0,
		problems: verdict.problems,
		fault: null,
		status: null,
		accepted: false,
		keyId: key?.id ?? null,
		clientClosed: false,
	});
	const response = reply.raw;
	let dropped = false;
	response.once('close', () => {
		entry.clientClosed = !dropped && !response.writableFinished;
		sandbox.log.end(entry, performance.now());
		sandbox.noteRequest(entry);
	});
	const answer = (content: Reply): void => {
		if (response.destroyed) return;
		entry.status = content.status;
		answerFully(response, content);
	};

	const { delayMs, held, rule, name } = sandbox.faults.decide(call);
	entry.fault = name;
	if (name !== null) sandbox.onChange('faults');
	// If the client hangs up during the wait, the request is still handled, as a real service would.
	if (delayMs > 0) await sleep(delayMs, undefined, { ref: false });
	await held;

	if (rule?.kind === 'hang') return;
	if (rule?.kind === 'reset') {
		dropped = true;
		return reset(response);
	}
	const isRefused = rule?.kind === 'knownPackage' && hasPackage(sandbox, call);
	if (rule?.kind === 'status' || isRefused) return answer(faultReply(rule, call, verdict, null));

	const result = handle(sandbox, call, verdict);
	entry.accepted = result.status < 300;
	if (entry.inFlightMs !== null) sandbox.noteRequest(entry);
	if (rule?.kind === 'reply') return answer(faultReply(rule, call, verdict, result));
	dropped = rule?.kind === 'lostResponse' || rule?.kind === 'truncate';
	if (rule?.kind === 'lostResponse') return hangUp(response);
	if (rule?.kind === 'truncate') return answerWithHalf(response, result);
	answer(result);
}

/** Whether the service has a message with the request's packageId. */
function hasPackage({ state }: Sandbox, { body }: IncomingCall): boolean {
	const packageId = (body as { packageId?: unknown } | undefined)?.packageId;
	return packageId !== undefined && state.messages.some((message) => message.packageId === packageId);
}

/** What the service does: the key first, then its plan, then the interface, then the operation. */
function handle(sandbox: Sandbox, call: IncomingCall, verdict: Verdict): Reply {
	try {
		// Looked up here, not on arrival: the key may have been revoked while the request waited.
		const key = keyOf(sandbox.state, call);
		if (key === undefined) {
			const missing = call.headers['x-api-key'] === undefined;
			throw new Problem(
				401,
				missing ? 'The X-API-KEY header is missing.' : 'The X-API-KEY is not a valid API key.',
			);
		}
		sandbox.takeFromPlan(key);
		if (verdict.problems.length > 0) throw new Problem(verdict.status, verdict.problems.join('; '));
		const context = {
			state: sandbox.state,
			views: new Views(sandbox.state, sandbox.schemaBase),
			reach: new Reach(sandbox.state, key),
			now: Date.now(),
			outboxDelayMs: sandbox.outboxDelayMs,
		};
		const { operationId, parameters } = verdict;
		const answer =
			operationId === null
				? listOutbox(context, call.query)
				: runOperation(operationId, context, { parameters, body: call.body });
		const text = answer.body === undefined ? '' : JSON.stringify(answer.body);
		return { status: answer.status, contentType: verdict.answerType, headers: {}, text };
	} catch (error) {
		const problem =
			error instanceof Problem ? error : new Problem(500, `The sandbox itself failed: ${String(error)}`);
		if (problem !== error) console.error(error);
		return {
			status: problem.status,
			contentType: verdict.answerType,
			headers: problem.headers,
			text: JSON.stringify(problemDetails(problem.status, problem.message, call.path)),
		};
	}
}

/** The answer of a `status` or `reply` rule; `normal` is the answer that it replaces, if there is one. */
function faultReply(rule: FaultRule, call: IncomingCall, verdict: Verdict, normal: Reply | null): Reply {
	const status = rule.status ?? normal?.status ?? 503;
	const headers = rule.headers ?? {};
	const contentType = rule.contentType ?? verdict.answerType;
	if (rule.body === undefined) {
		const details = problemDetails(status, 'The sandbox was told to fail here.', call.path);
		return { status, headers, contentType, text: normal?.text ?? JSON.stringify(details) };
	}
	if (rule.body === null) return { status, headers, contentType, text: '' };
	if (typeof rule.body === 'string') {
		return { status, headers, contentType: rule.contentType ?? 'text/plain; v=1.0', text: rule.body };
	}
	return { status, headers, contentType, text: JSON.stringify(rule.body) };
}
