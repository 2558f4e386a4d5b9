/** What `npm run test:queue` writes to `.e2e/queue/figures.json`, by scenario. */
export type QueueFigures = Readonly<Record<string, ScenarioFigures>>;

interface ScenarioFigures {
	readonly messages?: number;
	readonly accepted?: number;
	readonly twice?: number;
	readonly 'lost in silence'?: number;
	readonly verdicts?: Readonly<Record<string, number>>;
	readonly 'what the retries say'?: Readonly<Record<string, number>>;
	readonly seconds?: number;
}

const counts = (verdicts: Readonly<Record<string, number>> = {}): string =>
	Object.entries(verdicts)
		.map(([verdict, count]) => `${count} ${verdict}`)
		.join(', ');

/** The scenarios as a table. */
export function queueTable(figures: QueueFigures): string {
	const rows = Object.entries(figures).flatMap(([scenario, row]) => {
		if (row.messages === undefined) return [];
		const retried = counts(row['what the retries say']);
		const said = counts(row.verdicts) + (retried === '' ? '' : `; the retries: ${retried}`);
		const { messages, accepted, twice, 'lost in silence': lost, seconds } = row;
		return [`| ${[scenario, messages, accepted, twice, lost, said, seconds].join(' | ')} |`];
	});
	return [
		'| Scenario | Messages | Arrived | Twice | Lost in silence | What n8n says of them | Seconds |',
		'| --- | --- | --- | --- | --- | --- | --- |',
		...rows,
	].join('\n');
}
