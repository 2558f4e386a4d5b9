import { ensureN8n } from '../../dev/harness/n8n/install.mts';
import { buildQueueStage, type QueueStage } from '../../dev/harness/queue/stage.mts';
import { onTeardown, tearDown } from '../../dev/harness/teardown-list.mts';
import { killedAndRestarted } from './killed-and-restarted.mts';
import { manyKeys } from './many-keys.mts';
import { questions } from './questions.mts';

/** n8n in queue mode: a main process and three workers, PostgreSQL and Redis. One stage serves all scenarios. */
let built: QueueStage | undefined;

function stage(): QueueStage {
	if (built === undefined) throw new Error('The stage was not built');
	return built;
}

beforeAll(async () => {
	built = await buildQueueStage(await ensureN8n(), onTeardown);
}, 600_000);

afterAll(tearDown, 120_000);

manyKeys(stage);
killedAndRestarted(stage);
questions(stage);
