/**
 * How n8n evaluates expressions. Older n8n has no isolates, so that there is nothing to start or enter; the engine
 * tests run with it too.
 */
import type { Workflow } from 'n8n-workflow';
import type { ExpressionEngine } from '../protocol.mts';
import { n8n } from './n8n.mts';

/** The settings that n8n's server uses for its expression engine. */
const settings = { poolSize: 1, maxCodeCacheSize: 1024, bridgeTimeout: 5000, bridgeMemoryLimit: 128 };

/** Starts the expression engine, as n8n's server does. */
export async function startExpressions(engine: ExpressionEngine): Promise<void> {
	const { Expression }: { Expression: Partial<typeof n8n.Expression> } = n8n;
	if (engine === 'vm') await Expression.initExpressionEngine?.({ engine, ...settings });
}

/** Runs a function that evaluates expressions outside of an execution. */
export async function withExpressions<T>(
	{ expression }: { expression: Partial<Workflow['expression']> },
	run: () => Promise<T>,
): Promise<T> {
	return expression.withIsolate === undefined ? await run() : await expression.withIsolate(run);
}
