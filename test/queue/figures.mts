import { asText } from '../../dev/harness/as-text.mts';
import type { ScenarioResult } from './scenario.mts';

/** Prints what a scenario measured. */
export function show(
	scenario: string,
	{ ledger, seconds }: ScenarioResult,
	more: Record<string, unknown> = {},
): void {
	const figures = {
		messages: ledger.messages,
		accepted: new Set(ledger.accepted).size,
		twice: ledger.twice.length,
		'lost in silence': ledger.lostInSilence.length,
		verdicts: ledger.verdicts,
		'by worker': ledger.byWorker,
		seconds: Math.round(seconds),
		...more,
	};
	const text = Object.entries(figures).map(([name, value]) => `${name} ${asText(value)}`);
	process.stdout.write(`  ${scenario}: ${text.join(', ')}\n`);
}
