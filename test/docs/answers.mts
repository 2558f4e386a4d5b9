/** The table of what an answer proves, from what the node makes of real answers. */
import { answerIn } from '../../nodes/Messaging/service/answer.ts';
import type { ApiCall } from '../../nodes/Messaging/service/api-call.ts';
import { isFailure } from '../../nodes/Messaging/service/endings.ts';
import { markdownTable } from '../bench/tables.mts';
import { SAMPLES } from '../cases/answers.mts';
import { ids } from '../cases/values.mts';

const send: ApiCall = {
	method: 'POST',
	path: '/api/v1/message/SendMessage',
	body: { packageId: ids.call, channelId: ids.channel },
};

const columns: ReadonlyArray<readonly [name: string, status: number, retryAfter?: string]> = [
	['301, 308', 301],
	['302, 303, 307', 302],
	['404, 405, 410', 404],
	['429', 429],
	['Other 4xx', 400],
	['503 with `Retry-After`', 503, '5'],
	['Other 503, 5xx', 503],
];

const MEANINGS: Readonly<Record<string, string>> = {
	refused: 'refused',
	throttled: 'later',
	doubtful: 'in doubt',
};

/** What the node makes of each kind of body with each status. */
export function answersTable(): string {
	const rows = Object.entries(SAMPLES).map(([kind, [{ body, ...sample }]]) => [
		kind,
		...columns.map(([, status, retryAfter]) => {
			const own = 'headers' in sample ? sample.headers : {};
			const headers = { ...own, ...(retryAfter !== undefined && { 'retry-after': retryAfter }) };
			const answer = answerIn({ status, body, headers }, send, true);
			return isFailure(answer) ? (MEANINGS[answer.cause] ?? answer.cause) : 'done';
		}),
	]);
	return markdownTable(['Body', ...columns.map(([name]) => name)], rows);
}
