/**
 * For pnpm: no package has peer dependencies, as with "npm install --legacy-peer-deps". pnpm would install a package
 * once more for each set of peers that it meets: three n8n-core, two n8n-nodes-base. What a package expects to find
 * beside itself, it finds in the flat layout.
 */
module.exports = {
	hooks: {
		readPackage: (manifest) => ({ ...manifest, peerDependencies: {}, peerDependenciesMeta: {} }),
	},
};
