/**
 * `npm run release [-- v1.2.3]`: writes a release to `.cache/release/`: the tarball, its digest and the notes.
 * Packs twice, the second time in another folder, and fails if the bytes differ, so that anyone can reproduce the
 * tarball from the tag. Also fails if the tag is not the version in package.json, or if CHANGELOG.md has no notes for it.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';

import { notesOf } from './notes.mts';
import { pack, packElsewhere } from './pack.mts';

const project = join(import.meta.dirname, '../..');
const folder = join(project, '.cache', 'release');
const [tag] = process.argv.slice(2);

const sha256 = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

try {
	const { version } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as { version: string };
	if (tag !== undefined && tag !== `v${version}`) {
		throw new Error(`The tag ${tag} is not v${version}, the version in package.json.`);
	}
	const notes = notesOf(readFileSync(join(project, 'CHANGELOG.md'), 'utf8'), version);

	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	const tarball = await pack(project, folder);
	const again = await packElsewhere(project, join(folder, 'again'));
	if (sha256(again) !== sha256(tarball)) {
		throw new Error(
			`Packed twice, the bytes differ. Compare ${tarball} and ${again}, with "tar -tvzf" first.`,
		);
	}
	rmSync(join(folder, 'again'), { recursive: true });
	writeFileSync(join(folder, 'SHA256SUMS'), `${sha256(tarball)}  ${basename(tarball)}\n`);
	writeFileSync(join(folder, 'notes.md'), notes);
	console.log(`Packed ${relative(project, tarball)}, twice with the same bytes: ${sha256(tarball)}`);
} catch (error) {
	const { message, stderr = '' } = error as Error & { stderr?: string };
	console.error([stderr.trim(), message].filter(Boolean).join('\n'));
	process.exitCode = 1;
}
