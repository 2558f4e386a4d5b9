import { readFileSync } from 'node:fs';

import { notesOf } from '../../../dev/release/notes.mts';

const CHANGELOG = `# Changelog

Some words.

## [1.1.0] - 2030-01-02

### Added

- One thing

## [1.0.0] - Unreleased

- No date

## [0.9.0] - 2029-01-02
`;

test('are the chapter of the version, without its heading', () => {
	expect(notesOf(CHANGELOG, '1.1.0')).toBe('### Added\n\n- One thing\n');
});

test.each([
	['1.2.0', 'has no chapter of 1.2.0'],
	['1.1', 'has no chapter of 1.1'],
	['1.0.0', '"## [1.0.0] - YYYY-MM-DD"'],
	['0.9.0', 'says nothing of 0.9.0'],
])('a release of %s is refused: the changelog %s', (version, words) => {
	expect(() => notesOf(CHANGELOG, version)).toThrow(words);
});

test('the changelog has them for the version in package.json, once it is dated', () => {
	const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
	const [, latest] = readFileSync('CHANGELOG.md', 'utf8').split(/^(?=## )/m);
	const dated = latest?.replace(' - Unreleased\n', ' - 2030-01-02\n') ?? '';
	expect(notesOf(dated, version)).toContain('- ');
});
