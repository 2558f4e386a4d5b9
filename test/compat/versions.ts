/**
 * The n8n that people run, as far as they are tried: the newest patch of 1.x, every fourth minor of 2.x or the nearest
 * one whose packages can all be had, and the one that the project is made with.
 *
 * To renew the list: `npm view n8n versions`, then `npm view n8n@<version> engines dependencies.n8n-core`.
 */

/** One n8n. */
export interface N8nVersion {
	readonly n8n: string;
	/** Its engine, of the version that it depends on. */
	readonly core: string;
	/** The major versions of Node.js that it is tried on: of those that it says it runs on, the oldest and the newest. */
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
 * The oldest that is supported. What it lacks of what the package needs is refused with a sentence; on older ones nothing
 * is promised.
 */
export const oldest = versions[0] as N8nVersion;

/**
 * The engine tests that touch n8n most and take seconds: loading, every operation, its lists in the editor, its errors,
 * its saved executions and retries, polling. What runs on the node's own clock is left to the whole run.
 */
export const chosenTests: readonly string[] = [
	'loading',
	'operations',
	'editor-lists',
	'editor-form',
	'outcomes',
	'executions',
	'trigger',
	'on-error',
	'secrets',
].map((name) => `test/engine/${name}.test.ts`);

/** The Node.js of each major version that is fetched. 24 is the project's own. */
export const nodeVersions: Readonly<Record<number, string>> = { 20: '20.20.2', 22: '22.23.3' };
