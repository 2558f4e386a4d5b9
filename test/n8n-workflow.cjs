/**
 * n8n-workflow, for code that runs in jest. Three quarters of its load time are n8n's expressions, so a test file that
 * needs only the names here loads only those parts.
 */
const quick = Object.assign(
	{},
	...['errors/index.js', 'interfaces.js', 'type-validation.js', 'utils.js'].map((file) =>
		require(`n8n-workflow/dist/cjs/${file}`),
	),
);

module.exports = new Proxy(quick, {
	get: (known, name) => (name in known ? known[name] : require('n8n-workflow/dist/cjs/index.js')[name]),
});
