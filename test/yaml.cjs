/** yaml, as jest's tests import it: what one test file has parsed, later ones in the same process only copy. */
const kept = globalThis.keptByJest ?? new Map();

module.exports = {
	parse(text) {
		const name = `parsed ${text}`;
		if (!kept.has(name)) kept.set(name, JSON.stringify(require('../node_modules/yaml').parse(text)));
		return JSON.parse(kept.get(name));
	},
};
