import { randomBytes } from 'node:crypto';

import type { ApiCall } from '../../nodes/Messaging/service/api-call.ts';
import { isFailure } from '../../nodes/Messaging/service/endings.ts';
import { ME, planOf } from '../../nodes/Messaging/service/plan.ts';
import { MEDIA_TYPE, type Reply } from '../../nodes/Messaging/service/reply.ts';
import { loadContract } from '../sandbox/interface/contract.mts';
import { LISTS, otherCalls, sendCall } from './calls.mts';
import { Client, type Result } from './client.mts';
import * as judge from './judge.mts';

/** What to check, and with which key. */
export interface Target {
	url: string;
	key: string;
	/** A header for a gateway in front of the service, as "Name: value". */
	header?: string;
	/** Where to send a message. Without it, nothing is sent. */
	send?: { channelId: string; email: string };
}

/** What was found out about one thing. */
export type Finding = { what: string } & judge.Judgement;

/**
 * Finds out whether a service fits this package. Creates nothing and changes nothing: what could change something names
 * only new random IDs. Begins with /Me, because the plan of the key says how fast the rest may follow.
 */
export async function check({ url, key, header, send }: Target): Promise<Finding[]> {
	const contract = loadContract();
	const [headerName = '', ...value] = header?.split(':') ?? [];
	const custom = { header: header !== undefined, headerName, headerValue: value.join(':') };
	const client = new Client({ baseUrl: url, ...custom });
	const ask = async (call: ApiCall): Promise<Result> => await client.call(call, key);
	const findings: Finding[] = [];
	const note = (what: string, found: judge.Judgement): unknown => findings.push({ what, ...found });
	const noteReply = (what: string, result: Result, how: (reply: Reply) => judge.Judgement): unknown =>
		note(what, judge.judgeSuccess(result, how));

	const me = await ask(ME);
	note('GET /Me', judge.judgeMe(me));
	if (isFailure(me)) client.stopped ??= 'First, GET /Me must succeed.';
	else client.plan = planOf(me.body) ?? client.plan;
	const described = isFailure(me) ? await ask(ME) : me;
	noteReply('Plan of the key', described, judge.judgePlan);
	const wrongKey = `acc_${randomBytes(16).toString('hex')}`;
	note('A wrong key', judge.judgeWrongKey(await client.call(ME, wrongKey)));

	if (send !== undefined) {
		const call = sendCall(send);
		const first = await ask(call);
		noteReply('Send a message', first, ({ status }) => judge.fits(`Accepted with ${status}.`));
		if (!isFailure(first)) note('Send it again', judge.judgeSecond(first, await ask(call)));
	}
	for (const [name, operationId, id, call] of LISTS) {
		const list = await ask(call);
		const problemsOf = (records: unknown): string[] =>
			contract.answerProblems(operationId, 200, MEDIA_TYPE, records);
		noteReply(`${name}: all of them`, list, judge.judgeWhole);
		noteReply(`${name}: IDs and fields`, list, (reply) => judge.judgeRecords(reply, id, problemsOf));
	}
	for (const [what, call] of Object.entries(otherCalls())) {
		note(what, judge.judgeRefusal(await ask(call)));
	}
	await client.close();
	return findings;
}
