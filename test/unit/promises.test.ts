import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** ESLint is no quick starter on a busy machine. */
jest.setTimeout(180_000);

type Found = [line: number, rule: string];

interface OxlintReport {
	diagnostics: Array<{ code: string; labels: Array<{ span: { line: number } }> }>;
}

/** What stands in each line, by the rules that have to find something there. */
const LINES: ReadonlyArray<readonly [line: string, ...rules: string[]]> = [
	['declare function read(): Promise<string>;'],
	['declare function show(value: unknown): void;'],
	['declare function only(text: string): void;'],
	// With the await all is well.
	['export async function right(): Promise<unknown> {'],
	['	await read();'],
	['	show(await read());'],
	['	const all = await Promise.all([read(), read()]);'],
	['	read().then(only, show);'],
	['	const later: Promise<unknown> = read();'],
	['	const record: { text: unknown } = { text: [all, await later] };'],
	['	return record;'],
	['}'],
	['export async function wrong(): Promise<unknown> {'],
	['	read();', 'no-floating-promises'],
	['	show(read());', 'no-promise-as-value'],
	['	JSON.stringify({ text: [read()] });', 'no-promise-as-value'],
	['	const text = read();'],
	['	const record: { text: unknown } = { text };', 'no-promise-as-value'],
	['	record.text = read();', 'no-promise-as-value'],
	['	if (text) only(`${record.text === 1}`);', 'no-misused-promises'],
	['	only(`about ${text}`);', 'no-base-to-string', 'restrict-template-expressions'],
	['	only(String(text));', 'no-base-to-string', 'no-promise-as-value'],
	['	show({ ...read() });', 'no-misused-promises'],
	["	[''].forEach(async () => await read());", 'no-misused-promises'],
	['	await only("");', 'await-thenable'],
	['	try {'],
	['		return read();', 'return-await'],
	['	} catch {'],
	['		return undefined;'],
	['	}'],
	['}'],
	['export const parameters = (): unknown => read();', 'no-promise-as-value'],
	['export function parametersToo(): unknown {'],
	['	return read();', 'no-promise-as-value'],
	['}'],
];

/** Which rules oxlint finds broken. */
async function foundByOxlint(folder: string): Promise<Found[]> {
	const oxlint = resolve('node_modules/oxlint/bin/oxlint');
	const { stdout } = await run(process.execPath, [oxlint, '--type-aware', '--format=json'], {
		cwd: folder,
		env: { ...process.env, PATH: [resolve('node_modules/.bin'), process.env['PATH']].join(delimiter) },
	}).catch((failed: { stdout: string }) => failed);
	const { diagnostics } = JSON.parse(stdout) as OxlintReport;
	return diagnostics.map(({ code, labels }) => [
		labels[0]?.span.line ?? 0,
		code.replace(/^.*\((.*)\)$/, '$1'),
	]);
}

/** Whether our own rule finds something. ESLint loads its configuration as a module, which jest can't. */
async function foundByEslint(folder: string): Promise<Found[]> {
	const source = `
		import { ESLint } from 'eslint';
		import { noPromiseAsValueIn } from './lint/no-promise-as-value.mjs';
		const { rules } = await new ESLint().calculateConfigForFile('nodes/Messaging/Messaging.node.ts');
		if (rules['promises/no-promise-as-value'][0] !== 2) throw new Error('Our own rule is not in force.');
		const cwd = ${JSON.stringify(folder)};
		const overrideConfig = noPromiseAsValueIn(['**/*.ts'], 'tsconfig.json', cwd);
		const eslint = new ESLint({ cwd, overrideConfigFile: true, overrideConfig });
		const [{ messages }] = await eslint.lintFiles('promises.ts');
		console.log(JSON.stringify(messages.map(({ line, ruleId }) => [line, String(ruleId).split('/').at(-1)])));
	`;
	const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', source]);
	return JSON.parse(stdout) as Found[];
}

test('the linters find each promise that nobody awaits, wherever it stands', async () => {
	const folder = await mkdtemp(join(tmpdir(), 'promises-'));
	let found: Found[];
	try {
		const compilerOptions = { strict: true, target: 'es2022', module: 'preserve', types: [] };
		await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
		await writeFile(join(folder, 'promises.ts'), LINES.map(([line]) => line).join('\n'));
		await copyFile('.oxlintrc.json', join(folder, '.oxlintrc.json'));
		found = [...(await foundByOxlint(folder)), ...(await foundByEslint(folder))];
	} finally {
		await rm(folder, { recursive: true });
	}
	const lines = LINES.map(([line], n) => [
		line,
		...found.flatMap(([at, rule]) => (at === n + 1 ? [rule] : [])).sort(),
	]);
	expect(lines).toStrictEqual(LINES);
});
