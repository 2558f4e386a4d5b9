import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { N8nInstallation } from '../../dev/harness/n8n/install.mts';
import { guardProgram } from '../../dev/harness/n8n/paths.mts';
import type { QueueStage } from '../../dev/harness/queue/stage.mts';
import { workerNameVariable } from '../../dev/harness/queue/worker.mts';
import { readWorld } from '../../dev/harness/world.mts';
import type { AppEvent } from './load.mts';
import { eventsOf, eventWorkflow, withKey } from './load.mts';
import { deliver, untilEnded } from './scenario.mts';

const millisecondsFrozen = 15_000;
/** What is delivered three times around each freeze. */
const load = { events: 4, messages: 40 };

/** The part of the package `pg`, as n8n has it, that is used here. */
interface Client {
	connect(): Promise<void>;
	query(sql: string): Promise<{ rows: Array<Record<string, unknown>> }>;
	on(event: 'notification', listener: (message: { payload?: string }) => void): void;
	off(event: 'notification', listener: (message: { payload?: string }) => void): void;
	end(): Promise<void>;
}

/** Tells who makes and deletes the row of a lease, which has no context, by the name of the worker. */
const watchLease = `
	CREATE TABLE lease_log (id serial, done text, worker text, was_made_by text);
	CREATE FUNCTION note_lease() RETURNS trigger AS $$ BEGIN
		INSERT INTO lease_log (done, worker, was_made_by) VALUES (TG_OP, current_setting('application_name'),
			(SELECT worker FROM lease_log WHERE done = 'INSERT' ORDER BY id DESC LIMIT 1));
		PERFORM pg_notify('lease', TG_OP || ' ' || current_setting('application_name'));
		RETURN NULL;
	END $$ LANGUAGE plpgsql;
	CREATE TRIGGER made AFTER INSERT ON processed_data FOR EACH ROW WHEN (NEW.context = '')
		EXECUTE FUNCTION note_lease();
	CREATE TRIGGER deleted AFTER DELETE ON processed_data FOR EACH ROW WHEN (OLD.context = '')
		EXECUTE FUNCTION note_lease();
	LISTEN lease`;

/**
 * Freezes the worker that has just taken the lease, at a random moment of the milliseconds in which it holds it, while all
 * workers send under the same keys.
 *
 * @returns what was sent twice, how often a worker was frozen that did hold the lease all the time, and how often a lease
 * was taken over: another worker has deleted it than the one that had made it
 */
export async function freezeHolders(
	n8n: N8nInstallation,
	stage: QueueStage,
	times: number,
	tell: (line: string) => void = () => {},
) {
	const { client: api, sandbox } = stage;
	await sandbox.reset();
	const world = await readWorld(sandbox, { sandbox: stage.service });
	const { channelId } = world.channel('Support E-mail');
	const workflow = await api.createWorkflow(eventWorkflow('freezes', stage.credential, channelId, withKey));
	await api.activateWorkflow(workflow);
	const database = await connect(n8n, stage);
	let frozen = 0;
	let didHold = 0;
	const started = new Map<AppEvent, string>();
	const timesSent = async (): Promise<Map<string, number>> => {
		const sent = new Map<string, number>();
		for (const { text } of (await sandbox.state()).messages)
			sent.set(text ?? '', (sent.get(text ?? '') ?? 0) + 1);
		return sent;
	};
	try {
		await database.query(watchLease);
		for (let n = 0; frozen < times && n < 2 * times; n++) {
			const events = eventsOf(load).map((event) => ({
				id: `${n}-${event.id}`,
				messages: event.messages.map(({ id, to }) => ({ id: `${n}-${id}`, to: `${n}-${to}` })),
			}));
			const delivered = deliver(
				stage,
				workflow.name,
				[events, events, events].flat().map((event) => ({ ...event })),
				started,
			);
			const holder = await holderOf(database, Math.floor(Math.random() * 6));
			if (holder === undefined) {
				tell(`${n + 1}: nobody has taken the lease`);
				await delivered;
				continue;
			}
			await sleep(Math.random() * 8);
			const pid = pidOf(holder);
			process.kill(pid, 'SIGSTOP');
			frozen += 1;
			let heldAll = false;
			try {
				const last = async () =>
					(await database.query('SELECT * FROM lease_log ORDER BY id DESC LIMIT 1')).rows[0];
				const before = await last();
				await sleep(millisecondsFrozen);
				heldAll =
					before?.['done'] === 'INSERT' &&
					before['worker'] === holder &&
					before['id'] === (await last())?.['id'];
			} finally {
				process.kill(pid, 'SIGCONT');
			}
			if (heldAll) didHold += 1;
			await delivered;
			const sent = await timesSent();
			const twice = [...sent.values()].filter((each) => each > 1).length;
			tell(
				`${n + 1}: ${holder}${heldAll ? ', which held the lease' : ''}; ${sent.size} sent, ${twice} of them twice`,
			);
		}
		await untilEnded(stage, workflow.id, new Set(started.values()), true);
		const foreign = await database.query(
			"SELECT count(*) FROM lease_log WHERE done = 'DELETE' AND worker <> was_made_by",
		);
		const sent = await timesSent();
		const twice = [...sent].filter(([, each]) => each > 1);
		return { sent: sent.size, twice, frozen, didHold, takenOver: Number(foreign.rows[0]?.['count']) };
	} finally {
		await database.end();
		await api.deactivateWorkflow(workflow.id);
	}
}

async function connect(n8n: N8nInstallation, { postgres }: QueueStage): Promise<Client> {
	const inN8n = createRequire(join(n8n.folder, 'node_modules/n8n/package.json'));
	const { Client } = inN8n('pg') as { Client: new (settings: object) => Client };
	const of = (name: string): string | undefined => postgres.n8nSettings[`DB_POSTGRESDB_${name}`];
	const database = new Client({
		...{ host: of('HOST'), port: Number(of('PORT')), database: of('DATABASE') },
		...{ user: of('USER'), password: of('PASSWORD') },
	});
	await database.connect();
	return database;
}

/** The worker that takes the lease next, after so many others; `undefined` if that takes too long. */
async function holderOf(database: Client, after: number): Promise<string | undefined> {
	return await new Promise((resolve) => {
		let left = after;
		const end = (worker?: string): void => {
			database.off('notification', listen);
			clearTimeout(timer);
			resolve(worker);
		};
		const listen = ({ payload = '' }: { payload?: string }): void => {
			const [done, worker] = payload.split(' ');
			if (done === 'INSERT' && left-- <= 0) end(worker);
		};
		const timer = setTimeout(end, 40_000);
		database.on('notification', listen);
	});
}

/** The process of a worker: the one with its name in the environment, beside the guard that started it. */
function pidOf(worker: string): number {
	const wanted = `${workerNameVariable}=${worker}`;
	const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
	const found = pids.filter((pid) => {
		const of = (name: string): string[] => readFileSync(`/proc/${pid}/${name}`, 'utf8').split('\0');
		try {
			const command = of('cmdline');
			return (
				of('environ').includes(wanted) && command.includes('worker') && !command.includes(guardProgram())
			);
		} catch {
			// It has ended in the meantime.
			return false;
		}
	});
	if (found.length !== 1) throw new Error(`There are ${found.length} processes of ${worker}`);
	return Number(found[0]);
}
