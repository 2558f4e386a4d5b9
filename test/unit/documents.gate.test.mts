import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';

import { operations } from '../../nodes/Messaging/operations/index.ts';
import { pageName } from '../docs/pages.mts';

/** Checks that link targets, paths and commands in the documents exist. */

const root = process.cwd();
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const manifest = JSON.parse(read('package.json')) as {
	name: string;
	version: string;
	homepage: string;
	repository: { url: string };
	scripts: Record<string, string>;
};

const filesIn = (folder: string, ending: string): string[] =>
	readdirSync(join(root, folder))
		.filter((name) => name.endsWith(ending))
		.map((name) => join(folder, name));
const documents = [
	'llms.txt',
	...['.', 'docs', 'docs/internals', 'docs/operations', 'examples'].flatMap((folder) =>
		filesIn(folder, '.md'),
	),
];

/** A document without code blocks, which may contain lookalikes of headings and links. */
const proseOf = (path: string): string => read(path).replace(/^( *)(```+)[^\n]*\n[\s\S]*?^\1\2$/gm, '');

/** A heading's anchor as GitHub makes it. */
const anchorOf = (heading: string): string =>
	heading
		.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
		.toLowerCase()
		.replace(/[^\p{L}\p{N} _-]/gu, '')
		.replaceAll(' ', '-');

/** All anchors of a document: a repeated heading gets a number. */
function anchorsIn(path: string): string[] {
	const given = new Map<string, number>();
	return [...proseOf(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => {
		const anchor = anchorOf(heading);
		const times = given.get(anchor) ?? 0;
		given.set(anchor, times + 1);
		return times === 0 ? anchor : `${anchor}-${times}`;
	});
}

/** A link target within the project. */
interface Link {
	document: string;
	path: string;
	anchor: string;
}

/** Links and images in the documents that point to another place in the project. */
const links = documents.flatMap((document) =>
	[...proseOf(document).matchAll(/\]\(([^)\s]+)\)/g)]
		.map(([, target = '']) => target)
		.filter((target) => !/^[a-z]+:/.test(target))
		.map((target): Link => {
			const [path = '', anchor = ''] = target.split('#');
			return { document, path: path === '' ? document : normalize(join(dirname(document), path)), anchor };
		}),
);

/** URLs of the project's own pages in documents, workflows, the codex and the credential. */
const addresses = [
	...documents,
	...filesIn('examples', '.json'),
	...filesIn('nodes/Messaging', '.node.json'),
	'credentials/api-key.ts',
].flatMap((document) =>
	read(document)
		.split(manifest.homepage)
		.slice(1)
		.map((rest): Link => {
			const [, path = '', anchor = ''] = /^(?:\/blob\/main\/([\w./-]*\w))?(?:#([\w-]+))?/.exec(rest) ?? [];
			return { document, path: path === '' ? 'README.md' : path, anchor: anchor === 'readme' ? '' : anchor };
		}),
);

/** Inline code in a document. */
const codesIn = (document: string): string[] =>
	[...proseOf(document).matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);

describe('links', () => {
	const isDead = ({ path, anchor }: Link): boolean =>
		!existsSync(join(root, path)) || (anchor !== '' && !anchorsIn(path).includes(anchor));

	test('lead to files and headings that are there', () => {
		expect(links.filter(isDead)).toStrictEqual([]);
		expect(links.length).toBeGreaterThan(50);
	});

	test('by the address of the project as well: of the node, of the credential, in the workflows', () => {
		expect(addresses.filter(isDead)).toStrictEqual([]);
		expect(addresses).toContainEqual({
			document: 'credentials/api-key.ts',
			path: 'docs/first-message.md',
			anchor: 'credential',
		});
		for (const [node, path] of [
			['Messaging', 'docs/README.md'],
			['MessagingTrigger', 'docs/trigger.md'],
		] as const) {
			expect(addresses).toContainEqual({ document: `nodes/Messaging/${node}.node.json`, path, anchor: '' });
		}
	});

	test.each(['docs', 'docs/internals'])('lead from %s/README.md to every document beside it', (folder) => {
		const index = `${folder}/README.md`;
		const led = links.filter(({ document }) => document === index).map(({ path }) => path);
		const there = filesIn(folder, '.md').filter((path) => path !== index);
		expect(led).toEqual(expect.arrayContaining(there));
	});

	test.each([
		['README.md', ['docs/README.md', ...operations.map(pageName).map((page) => `docs/operations/${page}`)]],
		['docs/README.md', ['docs/operations/README.md', 'docs/internals/README.md']],
	])('lead from %s to what it introduces, each operation among it', (document, introduced) => {
		const led = links.filter((link) => link.document === document).map(({ path }) => path);
		expect(led).toEqual(expect.arrayContaining(introduced));
	});

	test('show every picture that is there', () => {
		const shown = new Set(links.map(({ path }) => path));
		const pictures = readdirSync(join(root, 'docs/images')).map((name) => join('docs/images', name));
		expect(pictures.filter((picture) => !shown.has(picture))).toStrictEqual([]);
		expect(pictures.length).toBeGreaterThan(0);
	});
});

/** Words as `wc -w` counts them, code included: tools that summarise a package read that, too. */
const wordsIn = (path: string): number => read(path).trim().split(/\s+/).length;

test('the README and the guides are short enough to be read', () => {
	const guides = ['README.md', ...filesIn('docs', '.md')];
	const total = guides.reduce((sum, guide) => sum + wordsIn(guide), 0);
	expect(total).toBeLessThanOrEqual(14_000);
	expect(wordsIn('README.md')).toBeLessThanOrEqual(650);
	expect(wordsIn('docs/coming-from.md')).toBeLessThanOrEqual(900);
});

describe('the README', () => {
	test('installs what "npm pack" makes of this version', () => {
		for (const document of ['README.md', 'docs/install.md']) {
			const tarballs = [...read(document).matchAll(/[\w.-]+\.tgz/g)].map(([name]) => name);
			expect(new Set(tarballs)).toStrictEqual(new Set([`${manifest.name}-${manifest.version}.tgz`]));
		}
		expect(read('docs/install.md')).toContain(`"version":"${manifest.version}"`);
	});

	test("has the sections of n8n's starter, and what a user of Docker Compose needs on its first screen", () => {
		const template =
			'node_modules/@n8n/node-cli/dist/template/templates/declarative/custom/template/README.md';
		const sections = (path: string) => [...proseOf(path).matchAll(/^## .*$/gm)].map(([heading]) => heading);
		expect(sections('README.md').sort()).toStrictEqual(sections(template).sort());
		const lines = read('README.md').split('\n');
		expect(lines.indexOf('docker compose restart n8n')).toBeGreaterThan(0);
		expect(lines.indexOf('docker compose restart n8n')).toBeLessThan(30);
	});
});

describe('what SECURITY.md says', () => {
	const table = read('docs/internals/security.md');

	test('has a row in the table of the tests that hold it', () => {
		const claims = [...read('SECURITY.md').matchAll(/^- \*\*(.+?)[.:]?\*\*/gm)].map(
			([, claim = '']) => claim,
		);
		expect(claims.filter((claim) => !table.includes(`| ${claim} `))).toStrictEqual([]);
		expect(claims.length).toBeGreaterThan(10);
	});

	test('is held by tests that are there', () => {
		const named = [...table.matchAll(/`(test\/[\w./-]+)`: (.+?)(?=<br>| *\|)/g)];
		const isThere = ([, path = '', title = '']: string[]): boolean => read(path).includes(title);
		expect(named.filter((test) => !isThere(test)).map(([test]) => test)).toStrictEqual([]);
		expect(named.length).toBeGreaterThan(30);
	});
});

test('every command of the project that a document names is there', () => {
	const named = documents.flatMap((document) =>
		[...read(document).matchAll(/npm run ([\w:]+)/g)].map(([, script = '']) => script),
	);
	expect(named.filter((script) => !(script in manifest.scripts))).toStrictEqual([]);
	expect(named.length).toBeGreaterThan(0);
});

test('every file of the project that a document names is there', () => {
	const folders = readdirSync(root, { withFileTypes: true }).flatMap((entry) =>
		entry.isDirectory() && !['dist', 'node_modules', '.git', '.cache', '.e2e'].includes(entry.name)
			? [entry.name]
			: [],
	);
	const named = documents.flatMap((document) =>
		codesIn(document)
			.flatMap((code) => code.split(/[\s,:]+/))
			.filter((word) => folders.includes(word.split('/')[0] ?? '') && /^[\w.-]+\/[\w./-]*$/.test(word))
			.map((path) => ({ document, path })),
	);
	// A path may be the common prefix of several test files.
	const isThere = (path: string): boolean =>
		existsSync(join(root, path)) ||
		(existsSync(join(root, dirname(path))) &&
			readdirSync(join(root, dirname(path))).some((name) => name.startsWith(`${basename(path)}.`)));
	expect(named.filter(({ path }) => !isThere(path))).toStrictEqual([]);
	expect(named.length).toBeGreaterThan(20);
});
