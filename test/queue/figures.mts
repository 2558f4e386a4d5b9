import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { projectRoot } from '../../dev/harness/n8n/paths.mts';
import { asText } from '../../dev/harness/as-text.mts';
import type { Ledger } from './ledger.mts';
import type { ScenarioResult } from './scenario.mts';

/** What a scenario measured. */
export type Figures = ReturnType<typeof figuresOf> & { 'what the retries say'?: Ledger['verdicts'] };

const shown: Record<string, Figures> = {};

/**
 * Shows what a scenario measured, and writes it to `.e2e/queue/figures.json`, where docs/internals/measurements.md takes
 * it from.
 */
export function show(scenario: string, result: ScenarioResult, more: Record<string, unknown> = {}): void {
	const figures = (shown[scenario] = { ...figuresOf(result), ...more });
	const file = join(projectRoot(), '.e2e/queue/figures.json');
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, `${JSON.stringify(shown, null, '\t')}\n`);
	const text = Object.entries(figures).map(([name, value]) => `${name} ${asText(value)}`);
	process.stdout.write(`  ${scenario}: ${text.join(', ')}\n`);
}

const figuresOf = ({ ledger, seconds }: ScenarioResult) => ({
	messages: ledger.messages,
	accepted: new Set(ledger.accepted).size,
	twice: ledger.twice.length,
	'lost in silence': ledger.lostInSilence.length,
	'denied though sent': ledger.deniedThoughSent.length,
	verdicts: ledger.verdicts,
	executions: ledger.executions,
	'by worker': ledger.byWorker,
	seconds: Math.round(seconds),
});
