/**
 * The bill of materials of what is published, made from the tarball itself: `npm sbom` names the package after its
 * folder, differs from run to run, and believes package-lock.json even where package.json says otherwise.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What a packed package.json says of it. */
interface PackedManifest {
	readonly name: string;
	readonly version: string;
	readonly description: string;
	readonly license: string;
	readonly homepage: string;
	readonly author: { readonly name: string };
	readonly repository: { readonly url: string };
	readonly [field: string]: unknown;
}

/** What brings other packages along. What n8n brings (`peerDependencies`) is no part of the package. */
const BRINGS_OTHERS = ['dependencies', 'optionalDependencies', 'bundleDependencies', 'bundledDependencies'];

/**
 * The bill of materials of a packed package, in CycloneDX 1.5: the package with the digests of its tarball, and no
 * other component. The same tarball gives the same bill.
 *
 * @param tarball its path
 * @throws when it brings other packages along: they would have to be listed, and this knows none
 */
export async function sbomOf(tarball: string): Promise<object> {
	const { stdout: manifestText } = await run('tar', ['-xzOf', tarball, 'package/package.json']);
	const { stdout: listed } = await run('tar', ['-tzf', tarball]);
	const manifest = JSON.parse(manifestText) as PackedManifest;
	const others = [
		...BRINGS_OTHERS.filter((field) => Object.keys(manifest[field] ?? {}).length > 0),
		...listed.split('\n').filter((path) => path.includes('node_modules/')),
	];
	if (others.length > 0)
		throw new Error(`${basename(tarball)} brings other packages along: ${others.join(', ')}`);

	const bytes = readFileSync(tarball);
	const digest = (algorithm: string): string => createHash(algorithm).update(bytes).digest('hex');
	const ref = `pkg:npm/${manifest.name}@${manifest.version}`;
	return {
		$schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
		bomFormat: 'CycloneDX',
		specVersion: '1.5',
		serialNumber: `urn:uuid:${uuidOf(digest('sha256'))}`,
		version: 1,
		metadata: {
			lifecycles: [{ phase: 'build' }],
			component: {
				type: 'library',
				'bom-ref': ref,
				name: manifest.name,
				version: manifest.version,
				author: manifest.author.name,
				description: manifest.description,
				hashes: [
					{ alg: 'SHA-256', content: digest('sha256') },
					{ alg: 'SHA-512', content: digest('sha512') },
				],
				licenses: [{ license: { id: manifest.license } }],
				purl: ref,
				externalReferences: [
					{ type: 'vcs', url: manifest.repository.url },
					{ type: 'website', url: manifest.homepage },
				],
			},
		},
		components: [],
		dependencies: [{ ref, dependsOn: [] }],
		compositions: [{ aggregate: 'complete', assemblies: [ref], dependencies: [ref] }],
	};
}

/** A UUID (of version 8: one made by a rule of one's own) from a digest in hexadecimal. */
function uuidOf(digest: string): string {
	const variant = '89ab'[parseInt(digest.charAt(16), 16) % 4];
	const parts = [digest.slice(0, 8), digest.slice(8, 12), `8${digest.slice(13, 16)}`];
	return [...parts, `${variant}${digest.slice(17, 20)}`, digest.slice(20, 32)].join('-');
}
