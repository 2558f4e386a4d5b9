// Plain JavaScript of any age, so that it runs, and says what is missing, before anything is installed.
'use strict';

const missing = ['typescript', 'gulp', 'esbuild'].filter((name) => {
	try {
		require.resolve(name);
		return false;
	} catch {
		return true;
	}
});

if (missing.length > 0) {
	process.stderr.write(
		'What the package is built with is missing (' +
			missing.join(', ') +
			'): run "npm install" in this folder first, development dependencies included.\n',
	);
	process.exit(1);
}
