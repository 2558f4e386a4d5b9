import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The checklist of what only the owner can do, in CONTRIBUTING.md: each line that it names, and no other. */

/** What stands in the place of the owner's own words, wherever it stands. */
const PLACEHOLDERS = [
	'unified-messaging/n8n-nodes-unified-messaging',
	'maintainers@unified-messaging.example',
	'Unified Messaging maintainers',
];

const LEFT_OUT = ['node_modules', 'dist', '.git', '.cache', '.e2e', 'coverage', 'test'];
const TEXT = /\.(ts|mjs|cjs|js|json|md|yml|yaml|html|svg)$/;

/** The files that are written by hand, but for the list itself. */
function filesIn(folder: string): string[] {
	return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
		const path = join(folder, entry.name);
		if (LEFT_OUT.includes(entry.name) || path === 'CONTRIBUTING.md') return [];
		return entry.isDirectory() ? filesIn(path) : TEXT.test(path) ? [path] : [];
	});
}

const [, chapter = ''] = readFileSync('CONTRIBUTING.md', 'utf8').split('\n## What only the owner can do\n');
const rows = [...chapter.matchAll(/^\| [^|]+ \| `([^`:]+):(\d+)` +\| `([^`]+)` +\|$/gm)].map(
	([, file = '', line = '', placeholder = '']) => ({ file, line: Number(line), placeholder }),
);

test('each line on the list holds the placeholder that it names', () => {
	const lines = (file: string): string[] => readFileSync(file, 'utf8').split('\n');
	const wrong = rows.filter(({ file, line, placeholder }) => !lines(file)[line - 1]?.includes(placeholder));
	expect(wrong).toStrictEqual([]);
	expect(chapter.split('\n').filter((line) => /^\| .*:\d+/.test(line))).toHaveLength(rows.length);
});

test('each line with a placeholder is on the list', () => {
	const there = filesIn('.').flatMap((file) =>
		readFileSync(file, 'utf8')
			.split('\n')
			.flatMap((text, index) =>
				PLACEHOLDERS.filter((placeholder) => text.includes(placeholder)).map((placeholder) => ({
					file,
					line: index + 1,
					placeholder,
				})),
			),
	);
	const listed = rows.filter(({ placeholder }) => PLACEHOLDERS.includes(placeholder));
	const inOrder = (all: typeof rows): string[] =>
		all.map(({ file, line, placeholder }) => `${file}:${line} ${placeholder}`).sort();
	expect(inOrder(listed)).toStrictEqual(inOrder(there));
});
