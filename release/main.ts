/**
 * What a release consists of, in `.cache/release/`: the tarball, its bill of materials, the digests of both, and the
 * notes.
 *
 *   npm run release [-- v1.2.3]   fails when the tag is not of this version, or when the package, packed by somebody
 *                                 else, would come out in other bytes
 *   npm run sbom                  the tarball and its bill of materials alone
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';

import { notesOf } from './notes.ts';
import { pack, packElsewhere } from './pack.ts';
import { sbomOf } from './sbom.ts';

const project = join(import.meta.dirname, '..');
const folder = join(project, '.cache', 'release');
const [wanted, tag] = process.argv.slice(2);

const sha256 = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

/** Writes what goes with the tarball and gives its path. */
function put(name: string, content: string): string {
	const path = join(folder, name);
	writeFileSync(path, content);
	console.log(`Wrote ${relative(project, path)}`);
	return path;
}

/** Packs once more, elsewhere. */
async function comparePacked(tarball: string): Promise<void> {
	const elsewhere = join(folder, 'elsewhere');
	mkdirSync(elsewhere);
	const again = await packElsewhere(project, elsewhere);
	if (sha256(again) !== sha256(tarball)) {
		throw new Error(
			`Packed elsewhere, the package has other bytes. Compare ${tarball} and ${again}, with "tar -tvzf" first.`,
		);
	}
	rmSync(elsewhere, { recursive: true });
	console.log('Packed in another folder, on another day, by somebody else: the same bytes.');
}

/** All of it. */
async function make(): Promise<void> {
	const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as { version: string };
	if (tag !== undefined && tag !== `v${manifest.version}`) {
		throw new Error(`The tag ${tag} is not v${manifest.version}, the version in package.json.`);
	}
	const changelog = readFileSync(join(project, 'CHANGELOG.md'), 'utf8');
	const notes = wanted === 'sbom' ? null : notesOf(changelog, manifest.version);

	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	const tarball = await pack(project, folder);
	console.log(`Packed ${relative(project, tarball)}`);
	const bill = put('sbom.cdx.json', `${JSON.stringify(await sbomOf(tarball), null, 2)}\n`);
	if (notes !== null) {
		await comparePacked(tarball);
		put('SHA256SUMS', [tarball, bill].map((path) => `${sha256(path)}  ${basename(path)}\n`).join(''));
		put('notes.md', notes);
	}
}

try {
	await make();
} catch (error) {
	const { message, stderr = '' } = error as Error & { stderr?: string };
	console.error([stderr.trim(), message].filter((words) => words !== '').join('\n'));
	process.exitCode = 1;
}
