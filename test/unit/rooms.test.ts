import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** ESLint is no quick starter on a busy machine. */
jest.setTimeout(180_000);

/** A file of the node, what it imports, and whether it may. */
const IMPORTS: ReadonlyArray<readonly [file: string, imported: string, may: boolean]> = [
	['operations/x.ts', '../fields/input', true],
	['operations/message/x.ts', '../../service/api-call', true],
	['operations/message/x.ts', '../../contract/operation', true],
	['operations/message/x.ts', '../records', true],
	['operations/message/x.ts', '../../service/connect', false],
	['operations/message/x.ts', '../../service/transport', false],
	['operations/x.ts', '../delivery/call', false],
	['operations/x.ts', '../editor/list', false],
	['delivery/x.ts', '../contract/operation', true],
	['delivery/pace/x.ts', '../../service/plan', true],
	['delivery/pace/x.ts', '../memory/memory', true],
	['delivery/x.ts', '../operations', false],
	['delivery/pace/x.ts', '../../operations/message/send', false],
	['delivery/x.ts', '../editor/list', false],
	['delivery/x.ts', '../ask/asked', true],
	['delivery/x.ts', '../ask/answer', false],
	['ask/page/x.ts', '../../contract/question', true],
	['ask/x.ts', '../delivery/run', false],
	['ask/x.ts', '../operations/records', false],
	['operations/x.ts', '../ask/asked', false],
	['editor/x.ts', '../service/connect', true],
	['editor/form/x.ts', '../../fields/values', true],
	['editor/x.ts', '../delivery/scheduler', false],
	['editor/form/x.ts', '../../operations/records', false],
	['watch/x.ts', '../service/connect', true],
	['watch/x.ts', '../delivery/single-call', true],
	['watch/x.ts', '../delivery/call', false],
	['watch/x.ts', '../editor/list', false],
	['watch/x.ts', '../operations/records', false],
	['delivery/x.ts', '../watch/poll', false],
	['editor/x.ts', '../watch/fields', false],
	['service/x.ts', '../json/plain-object', true],
	['service/x.ts', '../../../credentials/api-key', true],
	['service/x.ts', '../fields/values', false],
	['service/x.ts', '../contract/operation', false],
	['service/x.ts', '../delivery/settings', false],
	['fields/x.ts', '../json/path', true],
	['fields/x.ts', '../service/endings', false],
	['fields/x.ts', '../contract/operation', false],
	['contract/x.ts', '../service/api-call', true],
	['contract/x.ts', '../service/connect', false],
	['contract/x.ts', '../operations/records', false],
	['json/x.ts', '../fields/values', false],
	['service/x.ts', '../text/readable', true],
	['text/x.ts', '../json/plain-object', true],
	['text/x.ts', '../fields/values', false],
	['time/x.ts', '../delivery/scheduler', false],
	['delivery/x.ts', '../Messaging.node', false],
	['watch/x.ts', '../MessagingTrigger.node', false],
];

test('each room of the node imports what stands below it, and nothing else', async () => {
	// ESLint loads its configuration as a module, which jest can't: it runs in a process of its own.
	const source = `
		import { ESLint } from 'eslint';
		// These files are not there, and imports need no types.
		const rules = { 'promises/no-promise-as-value': 'off' };
		const languageOptions = { parserOptions: { project: null } };
		const eslint = new ESLint({ overrideConfig: { rules, languageOptions } });
		const refused = [];
		for (const [file, imported] of ${JSON.stringify(IMPORTS)}) {
			const text = \`import * as x from '\${imported}';\\n\\nexport const y = x;\\n\`;
			const [{ messages }] = await eslint.lintText(text, { filePath: 'nodes/Messaging/' + file });
			refused.push(messages.some(({ ruleId }) => ruleId === 'no-restricted-imports'));
		}
		console.log(JSON.stringify(refused));
	`;
	const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', source]);
	const refused = JSON.parse(stdout) as boolean[];
	expect(IMPORTS.map(([file, imported], n) => [file, imported, !(refused[n] ?? true)])).toEqual(IMPORTS);
});
