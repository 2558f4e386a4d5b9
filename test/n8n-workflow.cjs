/**
 * n8n-workflow, for code that runs in jest. It is the module itself, but three quarters of the time that it takes to
 * load go into n8n's expressions: a test file whose code needs only what is named here loads only that.
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
