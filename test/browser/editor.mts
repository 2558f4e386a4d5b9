import { setTimeout as sleep } from 'node:timers/promises';

import { errors, type Locator, type Page } from 'playwright-core';

/** Waits until something holds; throws a time-out like Playwright's after so many milliseconds. */
export async function until(holds: () => Promise<boolean>, patience = 60_000): Promise<void> {
	const deadline = Date.now() + patience;
	while (!(await holds())) {
		if (Date.now() > deadline) throw new errors.TimeoutError(`Not within ${patience} ms`);
		await sleep(50);
	}
}

/** n8n's editor as a user operates it, by what is on the screen. Every method waits until its step is done. */
export class Editor {
	readonly page: Page;
	readonly url: string;

	constructor(page: Page, url: string) {
		this.page = page;
		this.url = url;
	}

	/** Opens a new workflow, with a trigger that starts it by hand. */
	async newWorkflow(): Promise<void> {
		await this.page.goto(`${this.url}/workflow/new`);
		await this.part('canvas-add-button').click();
		await this.panelEntry('Trigger manually').click();
		await this.part('canvas-trigger-node').waitFor();
	}

	/** Opens a stored workflow. */
	async openWorkflow(id: string): Promise<void> {
		await this.page.goto(`${this.url}/workflow/${id}`);
		await this.part('canvas-node').first().waitFor();
	}

	/** Finds the node in the node panel by searching, behind the last node of the canvas, and shows its actions. */
	async findNode(): Promise<void> {
		await this.insist(async (patience) => {
			const search = this.part('node-creator-search-bar');
			if (!(await search.isVisible())) {
				await this.part('canvas-handle-plus').last().click({ timeout: patience });
			}
			await search.fill('unified mess', { timeout: patience });
			await this.panelEntry('Unified Messaging').waitFor({ timeout: patience });
		});
		await this.panelEntry('Unified Messaging').click();
		await this.page.getByText('Node details').waitFor();
	}

	/** Picks one of the node's actions: the node is added and opens. */
	async chooseAction(action: string): Promise<void> {
		await this.panelEntry(action).click();
		await this.part('ndv').waitFor();
	}

	/** Adds the node with one of its actions behind the last node of the canvas, and opens it. */
	async addNode(action: string): Promise<void> {
		await this.findNode();
		await this.chooseAction(action);
	}

	/** Opens a node of the canvas. */
	async openNode(name: string): Promise<void> {
		await this.page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`).dblclick();
		await this.part('ndv').waitFor();
	}

	/** Closes the open node. */
	async closeNode(): Promise<void> {
		await this.part('ndv-close-button').click();
		await this.part('ndv').waitFor({ state: 'hidden' });
	}

	/** Fills in the dialog for a new credential and saves it, which also tests it. */
	async createCredential(values: Readonly<Record<string, string>>): Promise<void> {
		await this.page.getByText('Connect to Unified Messaging').click();
		for (const [name, value] of Object.entries(values)) {
			await this.fill(this.parameter(name).locator('input'), value);
		}
		await this.part('credential-save-button').click();
	}

	/** Opens the dialog of the credential that the open node uses. */
	async openCredential(): Promise<void> {
		await this.part('credential-edit-button').click();
		await this.part('editCredential-modal').waitFor();
	}

	/** Closes the dialog of a credential. */
	async closeCredential(): Promise<void> {
		await this.page.getByRole('button', { name: 'Close this dialog' }).click();
		await this.part('editCredential-modal').waitFor({ state: 'hidden' });
	}

	/** Opens a parameter's list and returns its entries, not those of a list that was open before. */
	async openList(parameter: string): Promise<Locator> {
		await this.insist(async (patience) => {
			await this.closeLists();
			await this.locator(parameter).getByTestId('rlc-input').click({ timeout: patience });
			await this.entries().first().waitFor({ timeout: patience });
		});
		return this.entries();
	}

	/** Types into the open list, and waits for the entry to find. */
	async typeInList(text: string, found: string): Promise<void> {
		await this.part('rlc-search').filter({ visible: true }).fill(text);
		await this.entries().filter({ hasText: found }).first().waitFor();
		// The list is filtered only a second after the last letter.
		await this.entries().filter({ hasNotText: text }).first().waitFor({ state: 'detached' });
	}

	/** Opens a parameter's list, types a given text, and picks an entry, until the parameter holds it. */
	async pick(parameter: string, entry: string, typed?: string): Promise<void> {
		await this.insist(async (patience) => {
			await this.closeLists();
			await this.locator(parameter).getByTestId('rlc-input').click({ timeout: patience });
			if (typed !== undefined) {
				await this.part('rlc-search').filter({ visible: true }).fill(typed, { timeout: patience });
			}
			await this.entries().filter({ hasText: entry }).first().click({ timeout: patience });
			await until(async () => (await this.picked(parameter)).includes(entry), patience);
		});
	}

	/** The picked entry that a parameter with a list shows. */
	async picked(parameter: string): Promise<string> {
		return await this.locator(parameter).locator('input').last().inputValue();
	}

	/** Chooses an entry of a plain drop-down list. */
	async choose(parameter: string, option: string): Promise<void> {
		const options = this.page.getByRole('option').filter({ visible: true });
		await this.insist(async (patience) => {
			if ((await options.count()) > 0) await this.leaveList();
			await this.parameter(parameter).click({ timeout: patience });
			await options.filter({ hasText: option }).first().click({ timeout: patience });
		});
	}

	/** Types into a text parameter. */
	async type(parameter: string, text: string): Promise<void> {
		await this.fill(this.parameter(parameter).locator('input, textarea').first(), text);
	}

	/** Types into a form's field. */
	async typeInForm(name: string, text: string): Promise<void> {
		await this.fill(this.formField(name).locator('input'), text);
	}

	/** Waits until a form's field holds a text. */
	async untilFormHolds(name: string, text: string): Promise<void> {
		const field = this.formField(name).locator('input');
		await field.waitFor();
		await until(async () => (await field.inputValue()) === text);
	}

	/** Types until the text stays: n8n renders a field again when the data that it depends on arrives. */
	private async fill(field: Locator, text: string): Promise<void> {
		await this.insist(async (patience) => {
			await field.fill(text, { timeout: patience });
			await until(async () => (await field.inputValue()) === text, patience);
		});
	}

	/** The entries of the list that is open. */
	private entries(): Locator {
		return this.part('rlc-item').filter({ visible: true });
	}

	/** Closes any parameter's list that is still open. */
	private async closeLists(): Promise<void> {
		if ((await this.part('rlc-search').filter({ visible: true }).count()) === 0) return;
		await this.leaveList();
		await this.entries().first().waitFor({ state: 'hidden' });
	}

	/** Clicks where it only closes an open list. */
	private async leaveList(): Promise<void> {
		await this.part('output-panel').click({ position: { x: 10, y: 10 } });
	}

	/**
	 * Repeats a step that fails, with more patience each time: a click has no effect while the editor renders itself
	 * again.
	 */
	private async insist(step: (patience: number) => Promise<void>): Promise<void> {
		for (const patience of [5_000, 10_000, 20_000]) {
			try {
				return await step(patience);
			} catch (error) {
				if (!(error instanceof errors.TimeoutError)) throw error;
			}
		}
		await step(60_000);
	}

	/** The entry of a form's field. */
	formField(name: string): Locator {
		return this.part('resource-mapper-container').getByTestId(`parameter-input-${name}`);
	}

	/** Executes the open node and waits until the output panel shows a text. */
	async execute(shown: string | RegExp): Promise<void> {
		await this.part('node-execute-button').click();
		await this.waitForOutput(shown);
	}

	/** Waits until the output panel shows a text. */
	async waitForOutput(text: string | RegExp): Promise<void> {
		await this.part('output-panel').filter({ hasText: text }).waitFor();
	}

	/** Shows the output panel's data in one of its views. */
	async showOutputAs(view: 'schema' | 'table' | 'json'): Promise<void> {
		await this.part('output-panel').getByTestId(`radio-button-${view}`).click();
	}

	/** Shows only what holds a text, in the output panel. */
	async searchOutput(text: string): Promise<void> {
		const search = this.part('output-panel').getByTestId('ndv-search');
		await search.click();
		await this.fill(search, text);
	}

	/** The text of the output panel. */
	async outputText(): Promise<string> {
		return await this.part('output-panel').innerText();
	}

	/** A part of the screen by n8n's test id. */
	part(name: string): Locator {
		return this.page.getByTestId(name);
	}

	/** A parameter of the open node or dialog. */
	parameter(name: string): Locator {
		return this.part(`parameter-input-${name}`);
	}

	private locator(parameter: string): Locator {
		return this.part(`resource-locator-${parameter}`);
	}

	private panelEntry(name: string): Locator {
		return this.part('node-creator-item-name').filter({ hasText: name }).first();
	}
}
