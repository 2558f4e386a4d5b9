import type { Locator, Page } from 'playwright-core';

/** n8n's editor as a person uses it: by what is on the screen. Every method waits until its step is done. */
export class Editor {
	readonly page: Page;
	readonly url: string;

	constructor(page: Page, url: string) {
		this.page = page;
		this.url = url;
	}

	/** Opens a new, empty workflow. */
	async newWorkflow(): Promise<void> {
		await this.page.goto(`${this.url}/workflow/new`);
		await this.part('canvas-add-button').waitFor();
	}

	/** Opens a stored workflow. */
	async openWorkflow(id: string): Promise<void> {
		await this.page.goto(`${this.url}/workflow/${id}`);
		await this.part('canvas-node').first().waitFor();
	}

	/** Adds the trigger that starts a workflow by hand to an empty canvas. */
	async addManualTrigger(): Promise<void> {
		await this.part('canvas-add-button').click();
		await this.part('node-creator-item-name').filter({ hasText: 'Trigger manually' }).click();
		await this.part('canvas-trigger-node').waitFor();
	}

	/** Opens the node panel behind a node, and types into its search. */
	async searchNodePanel(text: string): Promise<void> {
		await this.part('canvas-handle-plus').last().click();
		await this.part('node-creator-search-bar').fill(text);
		await this.panelEntry('Unified Messaging').waitFor();
	}

	/** Picks the node in the node panel, which then shows its actions. */
	async chooseNode(name: string): Promise<void> {
		await this.panelEntry(name).click();
		await this.page.getByText('Node details').waitFor();
	}

	/** Picks an action in the node panel: the node is added and opens. */
	async chooseAction(action: string): Promise<void> {
		await this.panelEntry(action).click();
		await this.part('ndv').waitFor();
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

	/** Fills the dialog for a new credential in and saves it, which tests it too. */
	async createCredential(values: Readonly<Record<string, string>>): Promise<void> {
		await this.page.getByText('Connect to Unified Messaging').click();
		for (const [name, value] of Object.entries(values)) {
			await this.parameter(name).locator('input').fill(value);
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

	/** Opens a parameter's list and gives its entries. */
	async openList(parameter: string): Promise<Locator> {
		await this.locator(parameter).getByTestId('rlc-input').click();
		const entries = this.part('rlc-item');
		await entries.first().waitFor();
		return entries;
	}

	/** Types into the list that is open, and waits for what it finds. */
	async typeInList(text: string, found: string): Promise<void> {
		await this.part('rlc-search').pressSequentially(text, { delay: 40 });
		await this.part('rlc-item').filter({ hasText: found }).first().waitFor();
		// The list is filtered a second after the last letter: until then, it shows others too.
		await this.part('rlc-item').filter({ hasNotText: text }).first().waitFor({ state: 'detached' });
	}

	/** Picks an entry of the list that is open. */
	async pick(entry: string): Promise<void> {
		await this.part('rlc-item').filter({ hasText: entry }).first().click();
	}

	/** Opens a list, types, and picks the entry that is found. */
	async pickByTyping(parameter: string, text: string, entry: string): Promise<void> {
		await this.openList(parameter);
		await this.typeInList(text, entry);
		await this.pick(entry);
	}

	/** Chooses an entry of a plain drop-down list. */
	async choose(parameter: string, option: string): Promise<void> {
		await this.parameter(parameter).click();
		await this.page.getByRole('option').filter({ hasText: option }).first().click();
	}

	/** Types into a text parameter. */
	async type(parameter: string, text: string): Promise<void> {
		await this.parameter(parameter).locator('input, textarea').first().fill(text);
	}

	/** The entry of a form's field. */
	formField(name: string): Locator {
		return this.part('resource-mapper-container').getByTestId(`parameter-input-${name}`);
	}

	/** Executes the open node and waits until the output panel shows a text. */
	async execute(shown: string): Promise<void> {
		await this.part('node-execute-button').click();
		await this.waitForOutput(shown);
	}

	/** Waits until the output panel shows a text. */
	async waitForOutput(text: string): Promise<void> {
		await this.part('output-panel').filter({ hasText: text }).waitFor();
	}

	/** Shows the output panel's data in one of its views. */
	async showOutputAs(view: 'schema' | 'table' | 'json'): Promise<void> {
		await this.part('output-panel').getByTestId(`radio-button-${view}`).click();
	}

	/** What stands in the output panel. */
	async outputText(): Promise<string> {
		return await this.part('output-panel').innerText();
	}

	/** The fields that the input panel offers of a node, from top to bottom. */
	async offeredFields(node: string): Promise<string[]> {
		const panel = this.part('ndv-input-panel');
		await panel.getByTestId('run-data-schema-header').filter({ hasText: node }).first().waitFor();
		await panel.getByTestId('run-data-schema-node-name').first().waitFor();
		const rows = panel.locator(
			'[data-test-id="run-data-schema-header"], [data-test-id="run-data-schema-item"]',
		);
		// Rows are used again when the panel shows others: they stand in the page in any order.
		const shown = await rows.evaluateAll((elements) =>
			elements
				.map((element) => ({
					top: element.getBoundingClientRect().top,
					isHeader: element.getAttribute('data-test-id') === 'run-data-schema-header',
					text: element.textContent.trim(),
				}))
				.sort((one, other) => one.top - other.top),
		);
		const below = shown.slice(shown.findIndex(({ isHeader, text }) => isHeader && text.includes(node)) + 1);
		const next = below.findIndex(({ isHeader }) => isHeader);
		return below.slice(0, next === -1 ? undefined : next).map(({ text }) => text);
	}

	/** Drags a field of the input panel into a parameter. */
	async dragField(field: string, parameter: string): Promise<void> {
		const from = this.part('ndv-input-panel')
			.getByTestId('run-data-schema-node-name')
			.filter({ hasText: field })
			.first();
		await from.hover();
		await this.page.mouse.down();
		await this.parameter(parameter).hover();
		await this.page.mouse.up();
		await this.parameter(parameter).filter({ hasText: '{{' }).waitFor();
	}

	/** A part of the screen by the name that n8n gives it. */
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
