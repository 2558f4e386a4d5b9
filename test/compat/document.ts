/** Writes docs/compatibility.md from what the runs have found. */
import { exampleNames, readExample } from '../../harness/examples.ts';
import * as needs from '../e2e/needs.ts';
import type { Lack } from '../engine/n8n-under-test.ts';
import type { Lacking, Result, Results } from './results.ts';
import { oldest, versions, type N8nVersion } from './versions.ts';

/** Where the document stands. */
export const documentFile = 'docs/compatibility.md';

/**
 * The engine tests that touch n8n most and take seconds: loading, every operation, n8n's checks of parameters, its lists
 * in the editor, its errors, its saved executions and retries, polling. What runs on the node's own clock is left to the
 * whole run.
 */
export const chosenTests: readonly string[] = [
	'loading',
	'operations',
	'validation',
	'editor-lists',
	'editor-form',
	'outcomes',
	'executions',
	'trigger',
	'on-error',
	'secrets',
].map((name) => `test/engine/${name}.test.ts`);

/** What it means for a user that an n8n lacks something. */
const consequences: Readonly<Record<Lack, string>> = {
	cause:
		"**The reason behind a network error.** This n8n hands on the words of such an error, not the error itself. Where the words prove that nothing was sent, an item is `unsent` as ever. Where they don't (a service that speaks no TLS, a host name with several addresses that all refuse, no connection in time), it is `unknown`: it is not sent again by itself, and before you send it again, look whether it has arrived.",
	isolates:
		"**Isolated expressions.** As tried here, this n8n evaluates expressions in its own code. The results are the same; figures in [benchmarks.md](benchmarks.md) are with isolates, which are n8n's default today.",
	keyStore:
		'**The store of keys.** **Send Only Once Per** is refused before anything is sent: "This n8n is too old for "Send Only Once Per"".',
	signedLinks:
		'**Signed links.** **Send and Wait for Response** is refused before anybody is asked: "This n8n is too old for "Send and Wait for Response"".',
};

/** What it means for a user that a whole n8n lacks something that the end-to-end tests need. */
const consequencesForTheWhole: Readonly<Record<string, string>> = {
	[needs.humanInTheLoop]:
		'n8n does not offer **Send and Wait for Response** as the human in the loop of an AI agent. An agent asks a person by itself when it has the operation as a tool.',
	[needs.linkCheck]:
		"A link that was changed is refused by the node itself, with status 403; what somebody appends to it is passed over. Today's n8n refuses both before, with 401.",
	[needs.failedStart]:
		'Where a parameter keeps a workflow from starting, n8n says so and makes no execution.',
	[needs.stoppedForGood]:
		'n8n lets an execution that was stopped be retried, and executes nothing then: nothing more is sent, although it shows success.',
	[needs.emptyField]: 'n8n does not save a credential whose Base URL is empty.',
	[needs.agentThatGoesOn]:
		'An older agent stops at a tool that fails. Set On Error of the tool to Continue, and the model reads what happened.',
	[needs.answersInTurn]:
		'Of answers given within the same moment, each is shown the page that says that it was recorded. One of them counts: the workflow goes on once, with that one.',
};

const names: Readonly<Record<Lack, string>> = {
	cause: 'reason of network errors',
	isolates: 'isolated expressions',
	keyStore: 'store of keys',
	signedLinks: 'signed links',
};

/** The document. */
export function compatibility(results: Results): string {
	const found = Object.values(results).flatMap(({ tried }) =>
		Object.values(tried).flatMap(({ lacks }) => lacks),
	);
	const lacking = (Object.keys(consequences) as Lack[]).filter(
		(lack) => found.includes(lack) || lack === 'keyStore' || lack === 'signedLinks',
	);
	const minor = oldest.n8n.split('.').slice(0, 2).join('.');
	return `<!-- Written by "npm run compat": change test/compat/document.ts instead. -->

# Compatibility

The oldest n8n that this package supports is **${minor}**, the last of 1.x. On an older one nothing is promised; Send Only Once Per and Send and Wait for Response are refused there, where n8n lacks what they need, before anything is sent.

n8n reads one thing from a community package to know whether it fits: \`n8n.n8nNodesApiVersion\` in \`package.json\`, the level of n8n's interface for nodes. This package states level 1, which every n8n below knows; an n8n that did not know it would refuse to install the package. n8n has no field for its own version there, and wants \`"n8n-workflow": "*"\` as the only peer dependency.

## Engine tests

The tests of \`test/engine\` run the built package in n8n's own engine, against the embedded service. "All" are all of them; "chosen" are those that touch n8n most (${chosenTests.map((file) => `\`${file.replace(/^.*\/|\.test\.ts$/g, '')}\``).join(', ')}).

| n8n | n8n-core | n8n-workflow | Node | Tests | Passed | Failed | Skipped | Lacks |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
${versions.flatMap((version) => rowsOf(version, results[version.n8n])).join('\n')}

${missing(results)}${failures(results)}${repeated(results)}## What an older n8n lacks

${lacking.map((lack) => `- ${consequences[lack]}`).join('\n')}

What these names mean is looked up in each n8n before its tests run; where a test looks at something that is lacking, it expects what is written here.

## End-to-end tests

The tests of \`test/e2e\` run a whole n8n server with the packed package installed.

They run in today's n8n with \`npm run test:e2e\`, and in the oldest 2.x with \`npm run compat -- --e2e ${endToEndVersion}\`. What that n8n lacks is looked up before; a test that needs it is skipped there, or looks for what that n8n does instead, and has it in its title.

${endToEnd(results)}## Running them again

\`npm run compat\` installs each version of n8n-core into \`.cache/compat\` (about 4 GB for all), runs the tests on the Node versions of the table, and writes this page. \`npm run compat -- ${oldest.n8n}\` does so for one version, \`npm run compat -- --chosen\` with the chosen tests only, and \`npm run compat -- --e2e ${endToEndVersion}\` runs the end-to-end tests in that n8n (1.3 GB). Test files run beside each other, \`--workers 2\` says how many; one in which something failed runs once more, alone, because some tests depend on time limits of n8n's own, which a busy machine exceeds. \`npm run compat -- --oldest\` runs the chosen tests in the oldest n8n and writes nothing.

The versions stand in \`test/compat/versions.ts\`, which also says how to renew them: every fourth minor version of 2.x, or the nearest one whose packages could all be installed (2.12, 2.24, 2.28 and 2.32 could not).
`;
}

/** The oldest 2.x, in which the end-to-end tests run besides today's n8n. */
export const endToEndVersion = (versions.find(({ n8n }) => n8n.startsWith('2.')) as N8nVersion).n8n;

function rowsOf({ n8n, core, nodes }: N8nVersion, result: Result | undefined): string[] {
	return nodes.flatMap((major) => {
		const tried = result?.tried[major];
		if (result === undefined || tried === undefined) return [];
		const lacks = tried.lacks.map((lack) => names[lack]);
		const cells = [n8n, core, result.workflow, tried.node, tried.tests, tried.passed, tried.failed];
		return [`| ${[...cells, tried.skipped, lacks.join(', ') || 'nothing'].join(' | ')} |`];
	});
}

/** Which of the Node.js versions of the list have no row. */
function missing(results: Results): string {
	const not = versions.flatMap(({ n8n, nodes }) =>
		nodes
			.filter((major) => results[n8n]?.tried[major] === undefined)
			.map((major) => `n8n ${n8n} on Node ${major}`),
	);
	return not.length === 0 ? '' : `In the list and not tried yet: ${not.join(', ')}.\n\n`;
}

function failures(results: Results): string {
	const failed = Object.entries(results).flatMap(([n8n, { tried }]) =>
		Object.values(tried).flatMap(({ node, failures: tests }) =>
			tests.map((test) => `- n8n ${n8n} on Node ${node}: ${test}`),
		),
	);
	return failed.length === 0 ? '' : `Failed:\n\n${failed.join('\n')}\n\n`;
}

/** What failed on a busy machine only. */
function repeated(results: Results): string {
	const found = Object.entries(results).flatMap(([n8n, { tried }]) =>
		Object.values(tried).flatMap(({ node, repeated: tests }) =>
			tests.map((test) => `- n8n ${n8n} on Node ${node}: ${test}`),
		),
	);
	return found.length === 0
		? ''
		: `Failed at first, and passed when their file ran once more, alone:\n\n${found.join('\n')}\n\n`;
}

function endToEnd(results: Results): string {
	const tried = versions.flatMap(({ n8n }) => {
		const e2e = results[n8n]?.e2e;
		return e2e === undefined ? [] : [{ n8n, ...e2e }];
	});
	if (tried.length === 0) return `Not tried yet in n8n ${endToEndVersion}.\n\n`;
	const table = [
		'| n8n | Node | Passed | Failed | Skipped |',
		'| --- | --- | --- | --- | --- |',
		...tried.map(
			({ n8n, node, passed, failed, skipped }) => `| ${[n8n, node, passed, failed, skipped].join(' | ')} |`,
		),
	];
	const failed = tried.flatMap(({ n8n, failures: tests }) => tests.map((test) => `- n8n ${n8n}: ${test}`));
	const lacking = tried.map(({ n8n, lacks }) => [
		`What n8n ${n8n} lacks of what the tests need:`,
		Object.entries(lacks)
			.map(([need, counts]) => `- **${firstUpper(need)}** (${countsOf(counts)}). ${meaningOf(need)}`)
			.join('\n'),
	]);
	const failedPart = failed.length === 0 ? [] : ['Failed:', failed.join('\n')];
	return [table.join('\n'), ...failedPart, ...lacking.flat()].map((part) => `${part}\n\n`).join('');
}

const firstUpper = (text: string): string =>
	/^[a-z]+ /.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;

function countsOf({ skipped, otherwise }: Lacking): string {
	const tests = (count: number): string => (count === 1 ? '1 test' : `${count} tests`);
	return [
		...(skipped > 0 ? [`${tests(skipped)} skipped`] : []),
		...(otherwise > 0 ? [`${tests(otherwise)} of what it does instead`] : []),
	].join(', ');
}

function meaningOf(need: string): string {
	const users = exampleNames.filter((name) =>
		readExample(name).nodes.some(({ type, typeVersion }) => needs.nodeVersion(type, typeVersion) === need),
	);
	const links = users.map((name) => `[${name}](../examples/${name}.json)`);
	return [
		...(consequencesForTheWhole[need] === undefined ? [] : [consequencesForTheWhole[need]]),
		...(links.length === 0 ? [] : [`Used by ${links.join(' and ')}.`]),
	].join(' ');
}
