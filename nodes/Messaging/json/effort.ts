/** How much work something may make: beyond it, it is left undone. Work is counted in steps, so that it is the same anywhere. */
export class Effort {
	/** @param left how many steps there are */
	constructor(private left: number) {}

	/** Whether all steps are used up. */
	get spent(): boolean {
		return this.left < 0;
	}

	/** Uses up some steps. */
	spend(steps: number): void {
		this.left -= steps;
	}
}
