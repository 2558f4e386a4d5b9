const { rmSync } = require('node:fs');
const { dest, parallel, src } = require('gulp');

/** Empties the build folder, so that nothing stays of a file that is gone. */
function clean(done) {
	rmSync('dist', { recursive: true, force: true });
	done();
}

/** Copies the icons beside the compiled code. */
function icons() {
	return src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));
}

/** Copies the codex files beside their nodes. */
function codex() {
	return src('nodes/**/*.node.json').pipe(dest('dist/nodes'));
}

exports.clean = clean;
exports.assets = parallel(icons, codex);
