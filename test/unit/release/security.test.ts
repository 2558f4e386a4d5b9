import { existsSync, readFileSync } from 'node:fs';

/** SECURITY.md: each promise names who keeps it. */

const promises = [...readFileSync('SECURITY.md', 'utf8').matchAll(/^- \*\*(.+?)\*\*.*$/gm)].map(
	([line, subject = '']) => [subject, line] as const,
);

test('it has some', () => {
	expect(promises.length).toBeGreaterThan(15);
});

test.each(promises)('%s: held by n8n, by the service, or by tests that are there', (_subject, line) => {
	const [, holders = ''] = / _Held by (.+)\._$/.exec(line) ?? [];
	const tests = [...holders.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
	expect(holders === 'n8n' || holders === 'the service' || tests.length > 0).toBe(true);
	expect(tests.filter((path) => !existsSync(path))).toStrictEqual([]);
});
