import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** The workflows that test and publish: what they may do, and what they run. */

interface Step {
	readonly uses?: string;
	readonly run?: string;
	readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
	readonly permissions?: Readonly<Record<string, string>>;
	readonly 'timeout-minutes'?: number;
	readonly environment?: string;
	readonly needs?: string | readonly string[];
	readonly steps: readonly Step[];
}

interface Workflow {
	readonly on: Readonly<Record<string, unknown>>;
	readonly permissions: object;
	readonly concurrency: object;
	readonly jobs: Readonly<Record<string, Job>>;
}

const folder = '.github/workflows';
const texts = new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
const workflows = [...texts].map(([name, text]) => [name, parse(text) as Workflow] as const);
const jobs = workflows.flatMap(([file, workflow]) =>
	Object.entries(workflow.jobs).map(([name, job]) => [`${file}: ${name}`, job] as const),
);
const publish = (parse(texts.get('publish.yml') ?? '') as Workflow).jobs;
const commandsOf = (job: Job | undefined): string[] => (job?.steps ?? []).flatMap(({ run }) => run ?? []);
const usedBy = (job: Job): string[] => job.steps.flatMap(({ uses }) => uses?.split('@')[0] ?? []);

test('are two', () => {
	expect([...texts.keys()].sort()).toStrictEqual(['ci.yml', 'publish.yml']);
});

describe.each(workflows)('%s', (name, { on, permissions, concurrency }) => {
	test('may do nothing but what a job says, and does not run twice at once', () => {
		expect(permissions).toStrictEqual({});
		expect(concurrency).toHaveProperty('group');
	});

	test('lends no rights to whoever opens a pull request, and needs no secret', () => {
		expect(Object.keys(on)).toStrictEqual(name === 'ci.yml' ? ['push', 'pull_request'] : ['push']);
		expect(texts.get(name)).not.toMatch(/secrets[.[]|NPM_TOKEN|NODE_AUTH_TOKEN/);
	});

	test('pins each action by its whole digest, with the version beside it', () => {
		const used = (texts.get(name) ?? '').split('\n').filter((line) => line.includes('uses:'));
		expect(used.length).toBeGreaterThan(0);
		expect(
			used.filter((line) => !/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line)),
		).toStrictEqual([]);
	});

	test('takes nothing from outside into a command', () => {
		const commands = Object.values(workflows.find(([file]) => file === name)?.[1].jobs ?? {}).flatMap(
			commandsOf,
		);
		expect(commands.filter((command) => command.includes('${{'))).toStrictEqual([]);
	});
});

test.each(jobs)('%s says what it may do and how long it may take, and keeps no token', (_name, job) => {
	expect(job.permissions).toBeDefined();
	expect(job['timeout-minutes']).toBeGreaterThan(0);
	for (const { uses, with: options } of job.steps) {
		if (uses?.startsWith('actions/checkout@'))
			expect(options).toMatchObject({ 'persist-credentials': false });
		if (uses?.startsWith('actions/setup-node@')) {
			expect(options).toMatchObject({ 'package-manager-cache': false });
		}
	}
});

test('both run .ci/run, and ask npm for known faults of what is published', () => {
	for (const [, { jobs: all }] of workflows) {
		const commands = Object.values(all).flatMap(commandsOf);
		expect(commands).toEqual(expect.arrayContaining(['bash .ci/run', 'npm audit --omit=dev']));
	}
});

describe('publishing', () => {
	test('is the one job that may prove who it is: in its environment, after the tests, without the sources', () => {
		const proving = jobs.filter(([, { permissions }]) => permissions?.['id-token'] !== undefined);
		expect(proving.map(([name]) => name)).toStrictEqual(['publish.yml: publish']);
		expect(publish.publish).toMatchObject({
			needs: ['test', 'package'],
			environment: 'npm',
			permissions: { 'id-token': 'write', attestations: 'write' },
		});
		const own = ['actions/download-artifact', 'actions/attest', 'actions/attest', 'actions/setup-node'];
		expect(usedBy(publish.publish as Job)).toStrictEqual(own);
		expect(commandsOf(publish.publish)).toStrictEqual([
			'sha256sum --check --strict SHA256SUMS',
			'npm publish ./*.tgz --access public --provenance',
		]);
	});

	test('takes what was packed where no install script runs', () => {
		const commands = commandsOf(publish.package);
		expect(commands).toStrictEqual([
			'npm install --ignore-scripts --no-save',
			'npm audit --omit=dev',
			'npm run release -- "$TAG"',
		]);
	});

	test('only the release, which runs nothing of the project, may write to the repository', () => {
		const writing = jobs.filter(([, { permissions }]) => permissions?.contents === 'write');
		expect(writing.map(([name]) => name)).toStrictEqual(['publish.yml: release']);
		expect(usedBy(publish.release as Job)).toStrictEqual(['actions/download-artifact']);
	});
});
