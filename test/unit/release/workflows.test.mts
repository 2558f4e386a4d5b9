import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';

/** What the CI and publishing workflows are allowed to do. */

interface Step {
	readonly id?: string;
	readonly uses?: string;
	readonly run?: string;
	readonly with?: Readonly<Record<string, unknown>>;
	readonly env?: Readonly<Record<string, string>>;
}

interface Job {
	readonly permissions?: Readonly<Record<string, string>>;
	readonly environment?: string;
	readonly needs?: string | readonly string[];
	readonly outputs?: Readonly<Record<string, string>>;
	readonly steps: readonly Step[];
}

interface Workflow {
	readonly on: Readonly<Record<string, unknown>>;
	readonly permissions: object;
	readonly jobs: Readonly<Record<string, Job>>;
}

const folder = '.github/workflows';
const texts = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const);
const workflows = new Map(texts.map(([name, text]) => [name, parse(text) as Workflow]));
const jobs = [...workflows].flatMap(([file, workflow]) =>
	Object.entries(workflow.jobs).map(([name, job]) => [`${file}: ${name}`, job] as const),
);
const namesOf = (holds: (job: Job) => boolean): string[] =>
	jobs.filter(([, job]) => holds(job)).map(([name]) => name);
const commandsOf = (job: Job | undefined): string[] => (job?.steps ?? []).flatMap(({ run }) => run ?? []);

describe.each(texts)('%s', (name, text) => {
	test('lends no rights to whoever opens a pull request, and stores no token', () => {
		const events = Object.keys(workflows.get(name)?.on ?? {});
		expect(['push', 'pull_request', 'schedule', 'workflow_dispatch']).toEqual(expect.arrayContaining(events));
		expect(text).not.toMatch(/secrets[.[]|NPM_TOKEN|NODE_AUTH_TOKEN/);
		expect(workflows.get(name)?.permissions).toStrictEqual({});
	});

	test('pins each action by its whole digest', () => {
		const used = text.split('\n').filter((line) => line.includes('uses:'));
		expect(used.filter((line) => !/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v/.test(line))).toStrictEqual([]);
	});

	test('takes nothing from outside into a command', () => {
		const commands = Object.values(workflows.get(name)?.jobs ?? {}).flatMap(commandsOf);
		expect(commands.filter((command) => command.includes('${{'))).toStrictEqual([]);
	});
});

describe('publishing', () => {
	const publish = workflows.get('publish.yml')?.jobs ?? {};

	test('is the one job that may prove who it is: in its environment, after all tests, without the sources', () => {
		expect(namesOf(({ permissions }) => permissions?.['id-token'] !== undefined)).toStrictEqual([
			'publish.yml: publish',
		]);
		expect(publish.publish).toMatchObject({ needs: ['test', 'package'], environment: 'npm' });
		expect(commandsOf(publish.test)).toContain('bash .ci/run');
		expect(publish.publish?.steps.filter(({ uses }) => uses?.startsWith('actions/checkout'))).toStrictEqual(
			[],
		);
		expect(commandsOf(publish.publish)).toContain('npm publish ./*.tgz --access public --provenance');
	});

	test('takes what was packed twice, where no install script has run', () => {
		const commands = commandsOf(publish.package);
		expect(commands).toEqual(
			expect.arrayContaining(['npm ci --ignore-scripts', 'npm run release -- "$TAG"']),
		);
		expect(commands.filter((command) => command.includes('.ci/run'))).toStrictEqual([]);
	});

	test('takes the artifact of this run by its ID, and compares it with a digest that is kept elsewhere', () => {
		expect(publish.package?.outputs).toStrictEqual({
			artifact: '${{ steps.upload.outputs.artifact-id }}',
			sha256: '${{ steps.digest.outputs.sha256 }}',
		});
		const digest = publish.package?.steps.find(({ id }) => id === 'digest')?.run ?? '';
		for (const job of [publish.publish, publish.release]) {
			const steps = job?.steps ?? [];
			const download = steps.findIndex(({ uses }) => uses?.startsWith('actions/download-artifact'));
			expect(steps[download]?.with).toStrictEqual({
				'artifact-ids': '${{ needs.package.outputs.artifact }}',
				path: 'release',
			});
			// Right behind the download, before anything uses it.
			const check = steps[download + 1];
			expect(check?.env).toStrictEqual({ SHA256: '${{ needs.package.outputs.sha256 }}' });
			expect(isAccepted(digest, check?.run ?? '', () => {})).toBe(true);
			for (const file of ['a.tgz', 'notes.md', 'SHA256SUMS', 'b.tgz']) {
				const change = (folder: string) => writeFileSync(join(folder, file), 'changed');
				expect(isAccepted(digest, check?.run ?? '', change)).toBe(false);
			}
		}
	});

	test('only the release may write to the repository', () => {
		expect(namesOf(({ permissions }) => permissions?.contents === 'write')).toStrictEqual([
			'publish.yml: release',
		]);
	});
});

/** Whether the check of a job accepts the files whose digest was taken, after a change to them. */
function isAccepted(digest: string, check: string, change: (folder: string) => void): boolean {
	const folder = mkdtempSync(join(tmpdir(), 'release-'));
	const output = join(folder, '.output');
	const run = (command: string, env: Record<string, string>): number | null =>
		spawnSync('bash', ['-eo', 'pipefail', '-c', command], { cwd: folder, env: { ...process.env, ...env } })
			.status;
	try {
		for (const file of ['a.tgz', 'notes.md', 'SHA256SUMS']) writeFileSync(join(folder, file), file);
		expect(run(digest, { GITHUB_OUTPUT: output })).toBe(0);
		const [, SHA256 = ''] = /^sha256=(.*)$/m.exec(readFileSync(output, 'utf8')) ?? [];
		change(folder);
		return run(check, { SHA256 }) === 0;
	} finally {
		rmSync(folder, { recursive: true });
	}
}

test('Dependabot looks at what publishes, and at what writes the package', () => {
	const { updates } = parse(readFileSync('.github/dependabot.yml', 'utf8')) as {
		updates: ReadonlyArray<Readonly<Record<'package-ecosystem' | 'directory', string>>>;
	};
	const watched = updates.map((update) => `${update['package-ecosystem']} ${update.directory}`);
	expect(watched.sort()).toStrictEqual(['github-actions /', 'npm /']);
});
