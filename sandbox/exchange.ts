import type { FastifyReply, FastifyRequest } from 'fastify';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerFully, answerWithHalf, drop, hangUp, type Reply } from './answer.ts';
import type { IncomingCall, Verdict } from './contract.ts';
import type { StoredKey } from './model.ts';
import { Problem, problemDetails } from './problem.ts';
import { Reach } from './reach.ts';
import { runOperation } from './routes/index.ts';
import type { Sandbox } from './sandbox.ts';
import type { FaultRule, LoggedRequest } from './types.ts';
import { Views } from './views.ts';

/** Handles one API request, from its arrival to its answer or the lack of one. */
export async function exchange(
	sandbox: Sandbox,
	request: FastifyRequest,
	reply: FastifyReply,
	brokenBody?: string,
): Promise<void> {
	reply.hijack();
	const call = incoming(request, sandbox.prefix);
	const verdict = sandbox.contract.check(call);
	if (brokenBody !== undefined) verdict.problems.push(`body: ${brokenBody}`);
	const key = keyOf(sandbox, call);
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
	reply.raw.once('close', () => {
		entry.clientClosed = entry.status === null && !reply.raw.writableEnded && !reply.raw.headersSent;
		if (entry.fault !== null && /reset|lostResponse/.test(entry.fault)) entry.clientClosed = false;
		sandbox.log.end(entry, performance.now());
		sandbox.noteRequest(entry);
	});

	const { delayMs, rule, name } = sandbox.faults.decide(call);
	entry.fault = name;
	// Whoever hangs up during the wait has sent the request all the same: it is handled, as a real service would.
	if (delayMs > 0) await sleep(delayMs, undefined, { ref: false });

	if (rule?.kind === 'hang') return;
	if (rule?.kind === 'reset') return drop(reply.raw);
	if (rule?.kind === 'status') return respond(entry, reply, faultReply(rule, rule.status ?? 503, call, verdict));

	const result = handle(sandbox, call, verdict, key);
	entry.accepted = result.status < 300;
	if (rule?.kind === 'lostResponse') return hangUp(reply.raw);
	if (rule?.kind === 'reply') {
		return respond(entry, reply, faultReply(rule, rule.status ?? result.status, call, verdict));
	}
	entry.status = result.status;
	if (rule?.kind === 'truncate') answerWithHalf(reply.raw, result);
	else answerFully(reply.raw, result);
}

function respond(entry: LoggedRequest, reply: FastifyReply, answer: Reply): void {
	entry.status = answer.status;
	answerFully(reply.raw, answer);
}

/** What the service does: the key first, then its plan, then the interface, then the operation. */
function handle(sandbox: Sandbox, call: IncomingCall, verdict: Verdict, key: StoredKey | undefined): Reply {
	try {
		if (key === undefined) {
			const missing = call.headers['x-api-key'] === undefined;
			throw new Problem(401, missing ? 'The X-API-KEY header is missing.' : 'The X-API-KEY is not a valid API key.');
		}
		sandbox.takeFromPlan(key);
		if (verdict.operationId === null || verdict.problems.length > 0) {
			throw new Problem(verdict.status, verdict.problems.join('; '));
		}
		const answer = runOperation(verdict.operationId, {
			state: sandbox.state,
			views: new Views(sandbox.state, sandbox.schemaBase),
			reach: new Reach(sandbox.state, key),
			parameters: verdict.parameters as never,
			body: call.body as never,
			now: Date.now(),
			outboxDelayMs: sandbox.outboxDelayMs,
		});
		const text = answer.body === undefined ? '' : JSON.stringify(answer.body);
		return { status: answer.status, contentType: verdict.answerType, headers: {}, text };
	} catch (error) {
		if (!(error instanceof Problem)) throw error;
		return {
			status: error.status,
			contentType: verdict.answerType,
			headers: error.headers,
			text: JSON.stringify(problemDetails(error.status, error.message, call.path)),
		};
	}
}

function faultReply(rule: FaultRule, status: number, call: IncomingCall, verdict: Verdict): Reply {
	const headers = rule.headers ?? {};
	const contentType = rule.contentType ?? verdict.answerType;
	if (rule.kind === 'status' && rule.body === undefined) {
		const details = problemDetails(status, 'The sandbox was told to fail here.', call.path);
		return { status, headers, contentType, text: JSON.stringify(details) };
	}
	if (rule.body === null || rule.body === undefined) return { status, headers, contentType, text: '' };
	if (typeof rule.body === 'string') {
		return { status, headers, contentType: rule.contentType ?? 'text/plain; v=1.0', text: rule.body };
	}
	return { status, headers, contentType, text: JSON.stringify(rule.body) };
}

function incoming(request: FastifyRequest, prefix: string): IncomingCall {
	const url = request.raw.url ?? '/';
	const mark = url.indexOf('?');
	const path = mark < 0 ? url : url.slice(0, mark);
	const bodyText = typeof request.body === 'string' ? request.body : '';
	return {
		method: request.method,
		path: path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path,
		query: mark < 0 ? {} : queryOf(url.slice(mark + 1)),
		headers: request.headers,
		bodyText,
		body: parse(bodyText),
	};
}

function queryOf(text: string): IncomingCall['query'] {
	const query: IncomingCall['query'] = {};
	for (const [name, value] of new URLSearchParams(text)) {
		const known = query[name];
		if (known === undefined) query[name] = value;
		else query[name] = Array.isArray(known) ? [...known, value] : [known, value];
	}
	return query;
}

function parse(text: string): unknown {
	if (text === '') return undefined;
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

function keyOf(sandbox: Sandbox, call: IncomingCall): StoredKey | undefined {
	const token = call.headers['x-api-key'];
	return typeof token === 'string' ? sandbox.state.keyByToken(token) : undefined;
}

/** The log names the key by its id; the token never gets into it. */
function withoutToken(headers: IncomingCall['headers'], key: StoredKey | undefined): IncomingCall['headers'] {
	const shown = { ...headers };
	if (shown['x-api-key'] !== undefined) shown['x-api-key'] = key?.id ?? 'unknown';
	return shown;
}
