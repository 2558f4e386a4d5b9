import { ensureN8n } from '../../dev/harness/n8n/install.mts';
import { buildQueueStage, type QueueStage } from '../../dev/harness/queue/stage.mts';
import { killedAndRestarted } from './killed-and-restarted.mts';
import { manual } from './manual.mts';
import { manyKeys } from './many-keys.mts';
import { questions } from './questions.mts';
import { sameEventAgain } from './same-event-again.mts';

/** n8n in queue mode: a main process and three workers, PostgreSQL and Redis. One stage serves all scenarios. */
const atEnd: Array<() => Promise<void> | void> = [];
let built: QueueStage | undefined;

function stage(): QueueStage {
	if (built === undefined) throw new Error('The stage was not built');
	return built;
}

beforeAll(async () => {
	built = await buildQueueStage(await ensureN8n(), (step) => atEnd.push(step));
}, 600_000);

afterAll(async () => {
	for (const step of atEnd.reverse()) await step();
}, 120_000);

manual(stage);
manyKeys(stage);
sameEventAgain(stage);
killedAndRestarted(stage);
questions(stage);
