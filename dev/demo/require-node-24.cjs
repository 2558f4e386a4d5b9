// Old JavaScript syntax, so that this check also runs on a Node.js that can't load the demo.
'use strict';

if (Number(process.versions.node.split('.')[0]) < 24) {
	process.stderr.write(
		'Node 24 is missing in node_modules (this is Node ' +
			process.versions.node +
			'): run "npm install" again, with install scripts allowed, so that it can fetch the "node" package.\n',
	);
	process.exit(1);
}
