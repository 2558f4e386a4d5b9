/** A long step that is shown while it runs. */
export interface Progress {
	/** Ends the display with how long the step took. */
	done(note?: string): void;
	/** Ends the display without a word: the caller says what went wrong. */
	failed(): void;
}

/** Where a line of text goes. A terminal gets one line that counts the seconds, anything else a line now and then. */
export interface ProgressOutput {
	readonly isTTY?: boolean;
	write(text: string): unknown;
}

const secondsBetweenLines = 20;

/** Shows that a step is running, and for how many seconds. */
export function startProgress(step: string, output: ProgressOutput = process.stdout): Progress {
	const started = Date.now();
	const seconds = (): number => Math.round((Date.now() - started) / 1000);
	const tty = output.isTTY === true;
	output.write(tty ? `${step} ...` : `${step} ...\n`);
	const timer = setInterval(
		() => {
			output.write(tty ? `\r${step} ... ${seconds()} s` : `  still working, ${seconds()} s\n`);
		},
		(tty ? 1 : secondsBetweenLines) * 1000,
	);
	timer.unref();
	const end = (last: string): void => {
		clearInterval(timer);
		output.write(last);
	};
	return {
		done: (note = 'done') => {
			end(tty ? `\r${step} ... ${note} (${seconds()} s)\n` : `  ${note} (${seconds()} s)\n`);
		},
		failed: () => {
			end(tty ? '\n' : '');
		},
	};
}
