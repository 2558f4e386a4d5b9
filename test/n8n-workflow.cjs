/**
 * n8n-workflow, for code that runs in jest: the parts that the node uses. Loading all of it takes three times as long, for
 * each test file. If a name is missing, add its file.
 */
module.exports = Object.assign(
	{
		// Loaded when it is used, because it takes long.
		get NodeHelpers() {
			return require('n8n-workflow/dist/cjs/node-helpers.js');
		},
	},
	...[
		'constants',
		'errors/index',
		'expressions/expression-helpers',
		'interfaces',
		'type-guards',
		'type-validation',
		'utils',
	].map((file) => require(`n8n-workflow/dist/cjs/${file}.js`)),
);
