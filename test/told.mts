/** What an error's description tells, apart from its wording. */
export interface Told {
	/** Its first line: the outcome, and what it means. */
	readonly outcome: string;
	/** The numbers: of how many items, how many are done, may be, are not, and for what reasons. */
	readonly counts: Partial<Record<Count, number>>;
	/** The items in doubt by number, each with the recipient and the packageId that are told. */
	readonly inDoubt: ReadonlyArray<{
		readonly item: number;
		readonly to?: string;
		readonly packageId?: string;
	}>;
	/** What to do, in the order in which it is told. */
	readonly steps: readonly TellingStep[];
	/** The code at its end. */
	readonly code: string | undefined;
}

type Count = 'total' | 'done' | 'earlier' | 'before' | 'counted' | 'maybe' | 'not' | 'refused';

const COUNTS: Readonly<Record<Count, RegExp>> = {
	total: /Of (?:the )?([\d,]+) items?/,
	done: /([\d,]+) (?:was|were) (?:sent|done)/,
	earlier: /([\d,]+) in an earlier try/,
	before: /([\d,]+) before/,
	counted: /([\d,]+) only counted as sent/,
	maybe: /([\d,]+) may have been (?:sent|done)/,
	not: /([\d,]+) (?:was|were) not/,
	refused: /([\d,]+) refused/,
};

type TellingStep = keyof typeof STEPS;

/** A word or two by which each step is known. */
const STEPS = {
	look: /Look at the service/,
	decide: /[Ss]et the option When Outcome Is Unknown/,
	sendAlone: /send this item through the node again/,
	correct: /Correct a wrong value/,
	retry: /pick this one, .*Retry with/,
	retryNewest: /pick this newest one, not the first/,
	retrySubWorkflow: /Executions of the sub-workflow/,
	retryByApi: /POST \/api\/v1\/executions\/\S+\/retry/,
	runAgain: /[Rr]un the (calling )?workflow again: what was sent under its key/,
	dontRunCaller: /Don't run or retry all of it/,
	dontRunAgain: /Don't run the workflow again/,
} as const;

/** What a description tells: of an error that stops a run, of an item's error, or of a hint. */
export function told(description: unknown): Told {
	const given = typeof description === 'string' ? description : '';
	// If nothing was done because all of it was before, a sentence says that alone.
	const text = given.replace(
		/Nothing was (sent|done) now: (?:it was|all ([\d,]+) items were) (?:sent|done) before/,
		(_, done: string, total = '1') => `Of ${total} items, ${total} were ${done} (${total} before)`,
	);
	const [counting = ''] = /Of (?:the )?[\d,]+ items?.*?\./.exec(text) ?? [];
	const counts = Object.entries(COUNTS).flatMap(([name, words]) => {
		const number = words.exec(counting)?.[1];
		return number === undefined ? [] : [[name, Number(number.replaceAll(',', ''))] as const];
	});
	const [, doubts = ''] = /In doubt: ([\s\S]*?)\.(?:\s|$)(?!\S*@)/.exec(text) ?? [];
	return {
		outcome: /^Outcome: \w+ \([a-z ]+\)\./.exec(text)?.[0] ?? '',
		counts: Object.fromEntries(counts),
		inDoubt: doubtsIn(doubts),
		steps: (Object.keys(STEPS) as TellingStep[])
			.map((step) => ({ step, at: text.search(STEPS[step]) }))
			.filter(({ at }) => at >= 0)
			.sort((one, other) => one.at - other.at)
			.map(({ step }) => step),
		code: /\(([A-Z_]{3,})\)$/.exec(text)?.[1],
	};
}

function doubtsIn(text: string): Told['inDoubt'] {
	return text.split(/,?\n|, (?=item )/).flatMap((line) => {
		const [, numbers = ''] = /^items? ([\d, ]+)/.exec(line) ?? [];
		const to = /to (.+?)(?:, packageId|\))/.exec(line)?.[1];
		const packageId = /packageId ([\w-]+)/.exec(line)?.[1];
		return numbers
			.split(', ')
			.filter(Boolean)
			.map((number) => ({
				item: Number(number),
				...(to !== undefined && { to }),
				...(packageId !== undefined && { packageId }),
			}));
	});
}
