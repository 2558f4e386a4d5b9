const {
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	writeFileSync,
} = require('node:fs');
const { dirname, join, resolve } = require('node:path');
const { build, transform } = require('esbuild');
const { dest, parallel, series, src } = require('gulp');

/** Where this build is put together: inside the project, so that it can be renamed to `dist`. */
const workplace = join('.cache', `build-${process.pid}`);
const staging = join(workplace, 'dist');
process.once('exit', () => rmSync(workplace, { recursive: true, force: true }));

/** Names and lines stay as they are, so that the published code can be read. */
const options = { platform: 'node', target: 'node20', charset: 'utf8' };

function put(path, content) {
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, content);
}

/**
 * Writes one file for each node and one for the credential, and once what they share: the gate of an API key works
 * because both nodes pass the same one.
 */
async function code() {
	const { outputFiles } = await build({
		...options,
		entryPoints: [
			'nodes/Messaging/Messaging.node.ts',
			'nodes/Messaging/MessagingTrigger.node.ts',
			'credentials/MessagingApi.credentials.ts',
		],
		bundle: true,
		packages: 'external',
		// esbuild splits modules of this kind only; n8n loads the other.
		format: 'esm',
		splitting: true,
		chunkNames: 'shared/[hash]',
		outbase: '.',
		outdir: staging,
		write: false,
	});
	for (const { path, text } of outputFiles) {
		put(path, (await transform(text, { ...options, format: 'cjs' })).code);
	}
}

const icons = () => src('icons/*.svg', { encoding: false }).pipe(dest(join(staging, 'icons')));

/** The codex files go beside their nodes. */
const codex = () => src('nodes/**/*.node.json').pipe(dest(join(staging, 'nodes')));

/** Writes what comes out of each operation beside its node, where n8n's editor looks for it. */
async function schemas() {
	const outfile = resolve(workplace, 'output-schemas.cjs');
	await build({
		...options,
		entryPoints: ['api/output-schemas.mts'],
		bundle: true,
		packages: 'external',
		format: 'cjs',
		outfile,
	});
	for (const [name, schema] of Object.entries(require(outfile).outputSchemas())) {
		put(join(staging, 'nodes', 'Messaging', name), `${JSON.stringify(schema, null, '\t')}\n`);
	}
}

/**
 * Puts the build in the place of the one before it, as a whole: tests that load it meanwhile, in other processes, find
 * the old one or the new one. A build that is the same changes nothing.
 */
async function replace() {
	for (let tries = 1; !isSame(staging, 'dist'); tries++) {
		try {
			if (existsSync('dist')) renameSync('dist', join(workplace, `before-${tries}`));
			renameSync(staging, 'dist');
			return;
		} catch (error) {
			// Another build does the same at this moment.
			if (tries === 20 || !['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error;
		}
	}
}

function isSame(one, other) {
	const names = filesIn(one);
	if (names.join() !== filesIn(other).join()) return false;
	return names.every((name) => readFileSync(join(one, name)).equals(readFileSync(join(other, name))));
}

function filesIn(folder) {
	if (!existsSync(folder)) return [];
	const found = readdirSync(folder, { recursive: true, withFileTypes: true });
	return found
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name).slice(folder.length))
		.sort();
}

exports.build = series(parallel(code, icons, codex, schemas), replace);
