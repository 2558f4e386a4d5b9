/** The table of who writes which answers, and what they mean: made from the table in `service/author.ts`. */
import { answerIn } from '../../nodes/Messaging/service/answer.ts';
import type { ApiCall } from '../../nodes/Messaging/service/api-call.ts';
import { AUTHORS, authorOf } from '../../nodes/Messaging/service/author.ts';
import { isFailure } from '../../nodes/Messaging/service/endings.ts';
import type { Reply } from '../../nodes/Messaging/service/reply.ts';
import { markdownTable } from '../bench/tables.mts';
import { SAMPLES } from '../cases/answers.mts';
import { ids } from '../cases/values.mts';

const send: ApiCall = {
	method: 'POST',
	path: '/api/v1/message/SendMessage',
	body: { packageId: ids.call, channelId: ids.channel },
};

const columns: ReadonlyArray<readonly [name: string, status: number, retryAfter?: string]> = [
	['2xx', 200],
	['4xx', 400],
	['429', 429],
	['503', 503],
	['503 with `Retry-After`', 503, '5'],
];

const MEANINGS: Readonly<Record<string, string>> = {
	refused: 'refused',
	throttled: 'not processed, later',
	doubtful: 'in doubt',
};

/** The table, one row for each of `AUTHORS`. A cell is empty if the answer never has this status. */
export function answersTable(): string {
	const rows = AUTHORS.map((author) => [
		author.who,
		...columns.map(([, status, retryAfter]) => {
			const sample = SAMPLES[author.who]?.[0];
			const { 'retry-after': _, ...headers } = sample?.headers ?? {};
			const reply: Reply = {
				...{ status, body: sample?.body },
				headers: retryAfter === undefined ? headers : { ...headers, 'retry-after': retryAfter },
			};
			if (authorOf(reply, send) !== author) return '';
			const answer = answerIn(reply, send);
			return isFailure(answer) ? (MEANINGS[answer.cause] ?? answer.cause) : 'done';
		}),
	]);
	return markdownTable(['Who wrote it, and how that is known', ...columns.map(([name]) => name)], rows);
}
