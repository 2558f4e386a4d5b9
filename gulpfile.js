const { execFile } = require('node:child_process');
const { mkdirSync, rmSync, writeFileSync } = require('node:fs');
const { dirname, join, resolve } = require('node:path');
const { Transform } = require('node:stream');
const { build } = require('esbuild');
const { dest, parallel, series, src } = require('gulp');

const nodeFolder = join('dist', 'nodes', 'Messaging');

async function clean() {
	rmSync('dist', { recursive: true, force: true });
}

/** TypeScript writes each file under its own name, see `nodes/tsconfig.json`. `npm run build` checks the types before. */
function code() {
	const tsc = require.resolve('typescript/bin/tsc');
	return execFile(process.execPath, [tsc, '--project', 'nodes', '--noCheck', '--noResolve']);
}

/** Indents with tabs, as the sources do: TypeScript writes four spaces, a tenth of the whole code. */
function indent() {
	const withTabs = (code) => code.replace(/^(?: {4})+/gm, (spaces) => '\t'.repeat(spaces.length / 4));
	const transform = (file, _encoding, done) => {
		file.contents = Buffer.from(withTabs(file.contents.toString()));
		done(null, file);
	};
	return src('dist/**/*.js')
		.pipe(new Transform({ objectMode: true, transform }))
		.pipe(dest('dist'));
}

const icons = () => src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));

/** The codex files go beside their nodes. */
const codex = () => src('nodes/**/*.node.json').pipe(dest('dist/nodes'));

/**
 * Writes what comes out of each operation beside its node, where n8n's editor looks for it. It is the last step: tests
 * tell by one of these files that a build is complete.
 */
async function schemas() {
	const outfile = resolve('.cache', `output-schemas-${process.pid}.cjs`);
	const options = { bundle: true, packages: 'external', platform: 'node', format: 'cjs' };
	await build({ ...options, entryPoints: ['api/output-schemas.mts'], outfile });
	for (const [name, schema] of Object.entries(require(outfile).outputSchemas())) {
		const path = join(nodeFolder, name);
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, `${JSON.stringify(schema, null, '\t')}\n`);
	}
	rmSync(outfile);
}

exports.build = series(clean, parallel(series(code, indent), icons, codex), schemas);
