import type { Page } from 'playwright-core';

import { askQuestion } from '../../dev/harness/answer-page.mts';
import { credentialContent } from '../../dev/harness/credential.mts';
import { outputOf } from '../../dev/harness/n8n/api.mts';
import { names } from '../../dev/harness/workflows.mts';
import { useEditor } from './stage.mts';

/** What becomes of numbers that people type into the form of a question. */

let page: Page;
const { stage, n8n, sandbox } = useEditor((editor) => ({ page } = editor));

test('a number is the one that was typed; one that could be two comes back, as it was typed, with both', async () => {
	await sandbox.reset();
	const { url, tokens } = stage.sandbox;
	const credential = await n8n.createCredential(credentialContent(url, tokens.org));
	const fields = ['Price', 'Parcels', 'Weight'].map((fieldLabel) => ({ fieldLabel, fieldType: 'number' }));
	const { id, links } = await askQuestion(n8n, sandbox, credential, {
		message: 'How much?',
		responseType: 'customForm',
		formFields: { values: fields },
	});
	await page.goto(links[0] ?? '');
	await page.getByLabel('Price').pressSequentially('12,50 €');
	await page.getByLabel('Parcels').pressSequentially('1.234');
	await page.getByLabel('Weight').pressSequentially('2,5');
	await page.getByRole('button').click();

	await page.getByText('Your answer has not been recorded yet').waitFor();
	expect(await page.getByLabel('Price').inputValue()).toBe('12,50 €');
	expect(await page.locator('.error').allInnerTexts()).toEqual([
		expect.stringContaining('a number alone'),
		expect.stringContaining('1234 or 1.2340'),
	]);
	await page.getByLabel('Price').fill('12,50');
	await page.getByLabel('Parcels').fill('1234');
	await page.getByRole('button').click();

	await page.getByText('your answer has been recorded').waitFor();
	const [item] = outputOf(await n8n.waitForExecution(id), names.messaging);
	expect(item?.json['data']).toMatchObject({ Price: 12.5, Parcels: 1234, Weight: 2.5 });
});
