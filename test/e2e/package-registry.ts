import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A package of a few bytes. */
export interface TinyPackage {
	readonly manifest: { readonly name: string; readonly version: string } & Readonly<Record<string, unknown>>;
	/** What is in it besides its manifest. */
	readonly files?: Readonly<Record<string, string>>;
}

/** An npm registry on this machine. */
export interface PackageRegistry {
	/** With a slash at its end. */
	readonly url: string;
	/** The paths that were asked for, in order. */
	readonly asked: string[];
	publish(...packages: readonly TinyPackage[]): void;
	/** Answers the requests to one path instead of the registry, from now on. */
	answer(path: string, listener: RequestListener): void;
	/** Gives what the registry has at the path of a request. */
	serve(request: IncomingMessage, response: ServerResponse): void;
	/** Forgets what was asked for, and how it was told to answer. */
	reset(): void;
	close(): Promise<void>;
}

interface Published {
	readonly manifest: TinyPackage['manifest'];
	readonly tarball: Buffer;
}

/** Starts a registry without a package. */
export async function startPackageRegistry(): Promise<PackageRegistry> {
	const published: Published[] = [];
	const answers = new Map<string, RequestListener>();
	const asked: string[] = [];
	const serve: RequestListener = (request, response) => {
		const path = decodeURIComponent(request.url ?? '').split('?')[0] ?? '';
		const tarball = published.find(({ manifest }) => tarballPath(manifest) === path)?.tarball;
		const versions = published.filter(({ manifest }) => `/${manifest.name}` === path);
		response.setHeader(
			'content-type',
			tarball === undefined ? 'application/json' : 'application/octet-stream',
		);
		if (tarball !== undefined) response.end(tarball);
		else if (versions.length > 0) response.end(JSON.stringify(packument(versions, url)));
		else response.writeHead(path === '/-/ping' ? 200 : 404).end('{}');
	};
	const server = createServer((request, response) => {
		const path = request.url ?? '';
		asked.push(path);
		(answers.get(path) ?? serve)(request, response);
	});
	await new Promise<void>((done) => {
		server.listen(0, '127.0.0.1', done);
	});
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
	return {
		url,
		asked,
		publish: (...packages) => {
			published.push(...packages.map(pack));
		},
		answer: (path, listener) => {
			answers.set(path, listener);
		},
		serve,
		reset: () => {
			asked.length = 0;
			answers.clear();
		},
		close: async () => {
			const closed = new Promise((done) => {
				server.close(done);
			});
			server.closeAllConnections();
			await closed;
		},
	};
}

/** Where a registry has the contents of a package. */
export const tarballPath = ({ name, version }: { name: string; version: string }): string =>
	`/${name}/-/${name}-${version}.tgz`;

function packument(versions: readonly Published[], url: string): Record<string, unknown> {
	return {
		name: versions[0]?.manifest.name,
		'dist-tags': { latest: versions.at(-1)?.manifest.version },
		versions: Object.fromEntries(
			versions.map(({ manifest, tarball }) => [
				manifest.version,
				{
					...manifest,
					dist: {
						tarball: new URL(tarballPath(manifest), url).href,
						integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
					},
				},
			]),
		),
	};
}

function pack({ manifest, files = {} }: TinyPackage): Published {
	const folder = mkdtempSync(join(tmpdir(), 'tiny-package-'));
	try {
		for (const [name, text] of Object.entries({ ...files, 'package.json': JSON.stringify(manifest) })) {
			const file = join(folder, 'package', name);
			mkdirSync(dirname(file), { recursive: true });
			writeFileSync(file, text);
		}
		execFileSync('tar', ['-czf', 'package.tgz', 'package'], { cwd: folder });
		return { manifest, tarball: readFileSync(join(folder, 'package.tgz')) };
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
