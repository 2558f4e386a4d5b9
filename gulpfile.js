const {
	chmodSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} = require('node:fs');
const { dirname, join, relative, resolve } = require('node:path');
const { build, transform } = require('esbuild');
const { dest, parallel, series, src } = require('gulp');
const ts = require('typescript');

const result = 'dist';
/** Where this build is put together: in the project, so that it can be renamed. */
const staging = join('.cache', `build-${process.pid}`);

/** What is packed beside it. */
const papers = ['package.json', 'README.md', 'LICENSE.md'];

/** What writes the output schemas, as JavaScript that any Node runs. */
const schemaWriter = join('.cache', `output-schemas-${process.pid}.cjs`);

process.once('exit', () => {
	for (const path of [staging, schemaWriter]) rmSync(path, { recursive: true, force: true });
});

/**
 * Writes one file for each node and one for the credential, which is all that n8n loads by itself, and what they share
 * once: the gate of a key is a gate only where everybody passes the same one. Names and lines stay as they are, so
 * that the published code can be read; what the comments say stands in the sources.
 */
async function code() {
	const options = { platform: 'node', target: 'node20', charset: 'utf8', legalComments: 'none' };
	const { metafile, outputFiles } = await build({
		...options,
		metafile: true,
		entryPoints: [
			'nodes/Messaging/Messaging.node.ts',
			'nodes/Messaging/MessagingTrigger.node.ts',
			'credentials/MessagingApi.credentials.ts',
		],
		bundle: true,
		external: ['n8n-workflow'],
		// Only modules of this kind are shared; n8n loads the other.
		format: 'esm',
		splitting: true,
		chunkNames: 'shared/[hash]',
		outbase: '.',
		outdir: staging,
		write: false,
	});
	const foreign = Object.keys(metafile.inputs).filter((path) => !/^(nodes|credentials)\//.test(path));
	// It would be published, and the bill of materials, which lists dependencies, would not show it.
	if (foreign.length > 0) {
		throw new Error(`The package holds nothing but its own code, not ${foreign.join(', ')}`);
	}
	for (const { path, text } of outputFiles) {
		const { code: commonJs } = await transform(text, { ...options, format: 'cjs' });
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, tidy(commonJs));
	}
}

/**
 * The code as the sources are: without the comments that have lines of their own, of which esbuild drops some and keeps
 * others, and indented by tabs.
 */
function tidy(text) {
	const file = ts.createSourceFile('code.js', text, ts.ScriptTarget.Latest, false, ts.ScriptKind.JS);
	const comments = new Map();
	const templates = [];
	const look = (node) => {
		for (const { pos, end } of ts.getLeadingCommentRanges(text, node.pos) ?? []) comments.set(pos, end);
		if (ts.isTemplateLiteralToken(node)) templates.push([node.getStart(file), node.end]);
		ts.forEachChild(node, look);
	};
	look(file);
	const left = [];
	for (const [pos, end] of comments) {
		const line = text.lastIndexOf('\n', pos) + 1;
		if (text.slice(line, pos).trim() === '' && text[end] === '\n') left.push([line, end + 1]);
	}
	let code = '';
	let at = 0;
	for (const line of text.split('\n').map((each) => `${each}\n`)) {
		const isIn = ([from, to]) => from < at && at < to;
		if (!left.some(([from, to]) => from <= at && at < to)) {
			// In a template, spaces are part of what it says.
			const spaces = templates.some(isIn) ? 0 : line.length - line.trimStart().length;
			const levels = Math.floor(Math.min(spaces, line.length - 1) / 2);
			code += '\t'.repeat(levels) + line.slice(levels * 2);
		}
		at += line.length;
	}
	return code.slice(0, -1);
}

/** Copies the icons beside the compiled code. */
function icons() {
	return src('icons/*.svg', { encoding: false }).pipe(dest(join(staging, 'icons')));
}

/** Copies the codex files beside their nodes. */
function codex() {
	return src('nodes/**/*.node.json').pipe(dest(join(staging, 'nodes')));
}

/** Writes what comes out of each operation beside its node, where n8n looks for it. */
async function schemas() {
	await build({
		entryPoints: ['api/output-schemas.ts'],
		bundle: true,
		packages: 'external',
		platform: 'node',
		format: 'cjs',
		outfile: schemaWriter,
	});
	const { outputSchemas } = require(resolve(schemaWriter));
	for (const [name, schema] of Object.entries(outputSchemas())) {
		const file = join(staging, 'nodes', 'Messaging', name);
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, `${JSON.stringify(schema, null, '\t')}\n`);
	}
}

/**
 * Puts the build in the place of the one before it, as a whole: whoever loads it meanwhile, in tests that run, finds
 * the old one or the new one. One that is the same stays where it is.
 */
async function replace() {
	const before = `${staging}-before`;
	for (let tries = 1; !isSame(staging, result); tries++) {
		try {
			if (existsSync(result)) renameSync(result, before);
			renameSync(staging, result);
			return;
		} catch (error) {
			// Another build does the same at this moment.
			if (tries === 20 || !['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error;
		} finally {
			rmSync(before, { recursive: true, force: true });
		}
	}
}

/** Gives what was built the permissions that it is packed with, whatever the umask of who builds it. */
async function permissions() {
	for (const name of filesOf(staging)) chmodSync(join(staging, name), 0o644);
}

/** The same for what is packed beside it: a clone has it with the permissions of who made the clone. */
async function papersPermissions() {
	for (const paper of papers) chmodSync(paper, 0o644);
}

/** Whether two folders hold the same files, down to what is in them and to their permissions. */
function isSame(one, other) {
	const names = filesOf(one);
	if (names.join() !== filesOf(other).join()) return false;
	return names.every((name) => {
		const [first, second] = [join(one, name), join(other, name)];
		return readFileSync(first).equals(readFileSync(second)) && statSync(first).mode === statSync(second).mode;
	});
}

function filesOf(folder) {
	if (!existsSync(folder)) return [];
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => relative(folder, join(entry.parentPath, entry.name)))
		.sort();
}

exports.build = series(parallel(code, icons, codex, schemas), permissions, replace);
exports.papers = papersPermissions;
