/**
 * How n8n evaluates expressions. Older n8n has no isolates and evaluates in its own code: the engine tests run with
 * it as well, there is just nothing to start and nothing to enter.
 */
import type { Workflow } from 'n8n-workflow';
import type { ExpressionEngine } from '../protocol.ts';
import { n8n } from './n8n.ts';

/** The settings with which n8n's server starts its expression engine. */
const settings = { poolSize: 1, maxCodeCacheSize: 1024, bridgeTimeout: 5000, bridgeMemoryLimit: 128 };

/** Starts the expression engine, as n8n's server does. */
export async function startExpressions(engine: ExpressionEngine): Promise<void> {
	const { Expression }: { Expression: Partial<typeof n8n.Expression> } = n8n;
	if (engine === 'vm') await Expression.initExpressionEngine?.({ engine, ...settings });
}

/** Runs something that evaluates expressions outside of an execution. */
export async function withExpressions<T>(
	{ expression }: { expression: Partial<Workflow['expression']> },
	run: () => Promise<T>,
): Promise<T> {
	return expression.withIsolate === undefined ? await run() : await expression.withIsolate(run);
}
