import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** ESLint is no quick starter on a busy machine. */
jest.setTimeout(180_000);

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

test('the linter finds each promise that nobody awaits, wherever it stands', async () => {
	// ESLint loads its configuration as a module, which jest can't: it runs in a process of its own.
	const source = `
		import { ESLint } from 'eslint';
		// A file that is not there: types are looked up without those of the whole project, which takes longer.
		const filePath = 'nodes/Messaging/promises.ts';
		const projectService = { allowDefaultProject: [filePath], defaultProject: 'tsconfig.dev.json' };
		const parserOptions = { project: null, projectService };
		const eslint = new ESLint({ overrideConfig: { languageOptions: { parserOptions } } });
		const text = ${JSON.stringify(LINES.map(([line]) => line).join('\n'))};
		const [{ messages }] = await eslint.lintText(text, { filePath });
		console.log(JSON.stringify(messages.map(({ line, ruleId }) => [line, String(ruleId).split('/').at(-1)])));
	`;
	const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', source]);
	const found = JSON.parse(stdout) as Array<[line: number, rule: string]>;
	const lines = LINES.map(([line], n) => [
		line,
		...found.flatMap(([at, rule]) => (at === n + 1 ? [rule] : [])).sort(),
	]);
	expect(lines).toStrictEqual(LINES);
});
