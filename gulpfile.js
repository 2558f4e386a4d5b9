const { rmSync } = require('node:fs');
const { mkdir, writeFile } = require('node:fs/promises');
const { dirname } = require('node:path');
const { build } = require('esbuild');
const { dest, parallel, series, src } = require('gulp');

/** Empties the build folder, so that nothing stays of a file that is gone. */
function clean(done) {
	rmSync('dist', { recursive: true, force: true });
	done();
}

/**
 * Writes one file for the node and one for the credential: all that n8n loads. Names and lines stay as they are, so
 * that the published code can be read.
 */
async function code() {
	const { outputFiles } = await build({
		entryPoints: ['nodes/Messaging/Messaging.node.ts', 'credentials/MessagingApi.credentials.ts'],
		bundle: true,
		external: ['n8n-workflow'],
		platform: 'node',
		target: 'node20',
		format: 'cjs',
		charset: 'utf8',
		legalComments: 'none',
		minifySyntax: true,
		outbase: '.',
		outdir: 'dist',
		write: false,
	});
	for (const { path, text } of outputFiles) {
		await mkdir(dirname(path), { recursive: true });
		// Without the names of the source files, and with tabs: a tenth smaller, and as easy to read. No text of ours
		// has a line that begins with two spaces.
		const tidy = text
			.replace(/^\/\/ (?:nodes|credentials)\/.*\n/gm, '')
			.replace(/^(?: {2})+/gm, (spaces) => '\t'.repeat(spaces.length / 2));
		await writeFile(path, tidy);
	}
}

/** Copies the icons beside the compiled code. */
function icons() {
	return src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));
}

/** Copies the codex files beside their nodes. */
function codex() {
	return src('nodes/**/*.node.json').pipe(dest('dist/nodes'));
}

exports.build = series(clean, parallel(code, icons, codex));
