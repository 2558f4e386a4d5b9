/**
 * The tested versions of n8n: the newest patch of 1.x, every fourth minor of 2.x or the nearest one whose packages are
 * all available, and the project's own.
 *
 * To renew the list: `npm view n8n versions`, then `npm view n8n@<version> engines dependencies.n8n-core`.
 */

/** One n8n. */
export interface N8nVersion {
	readonly n8n: string;
	/** The version of n8n-core that it depends on. */
	readonly core: string;
	/** The tested major versions of Node.js: the oldest and the newest that it supports. */
	readonly nodes: readonly number[];
}

/** The oldest first. */
export const versions: readonly N8nVersion[] = [
	{ n8n: '1.123.81', core: '1.122.48', nodes: [20, 24] },
	{ n8n: '2.0.3', core: '2.0.2', nodes: [20, 24] },
	{ n8n: '2.4.8', core: '2.4.4', nodes: [20, 24] },
	{ n8n: '2.8.4', core: '2.8.1', nodes: [20, 24] },
	{ n8n: '2.11.4', core: '2.11.1', nodes: [22, 24] },
	{ n8n: '2.16.1', core: '2.16.1', nodes: [22, 24] },
	{ n8n: '2.20.12', core: '2.20.6', nodes: [22, 24] },
	{ n8n: '2.23.4', core: '2.23.1', nodes: [22, 24] },
	{ n8n: '2.27.4', core: '2.27.3', nodes: [22, 24] },
	{ n8n: '2.33.7', core: '2.33.2', nodes: [22, 24] },
	{ n8n: '2.36.8', core: '2.36.6', nodes: [24] },
	{ n8n: '2.40.7', core: '2.40.3', nodes: [24] },
	{ n8n: '2.41.1', core: '2.41.1', nodes: [24] },
];

/**
 * The oldest supported version. Features that need more than it has fail with an explanation; older versions are
 * unsupported.
 */
export const oldest = versions[0] as N8nVersion;

/**
 * The engine tests that depend on n8n most and take only seconds: loading, every operation, lists in the editor, errors,
 * saved executions and retries, polling. Tests that wait for the node's timers are left to the full run.
 */
export const chosenTests: readonly string[] = [
	...['loading', 'operations', 'editor-lists', 'editor-form', 'outcomes', 'executions', 'trigger'],
	...['on-error', 'secrets', 'agent', 'delivery-stop', 'credential-expressions', 'expressions', 'preview'],
].map((name) => `test/engine/${name}.test.mts`);

/** The Node.js to fetch for each major version. 24 is the project's. */
export const nodeVersions: Readonly<Record<number, string>> = { 20: '20.20.2', 22: '22.23.3' };
