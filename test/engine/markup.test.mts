/** Text from outside in what n8n's editor shows as HTML: one of each kind that `unit/shared/shown.test.mts` lists. */
import { errorOf, once, useLab } from './lab.mts';

const lab = useLab();

/** A customer's phone number, which the service repeats in its refusal. */
const phone = '<a href="https://evil.example">Your n8n session has expired, sign in</a>';
const body = { title: `No such number: ${phone}`, detail: '<img src=x>', errors: { phone: ['<!-- </b>'] } };

/** What a browser takes for the beginning of a tag, of its end, or of a comment. */
const TAG = /<[a-z/!?]/i;

/** The same with what is invisible taken out. */
const seen = (text: unknown): string => String(text).replaceAll('\u200b', '');

const refusing = async () =>
	await lab.client.setFaults([{ kind: 'status', path: 'SendMessage', status: 422, body }]);

const toPhone = {
	text: 'Hello',
	addressType: 'other',
	toType: 'PHONE',
	toRows: { values: [{ name: 'phone', value: phone }] },
};

test('the error that stops a workflow begins no tag, and looks as if it did; the problem is as it came', async () => {
	await refusing();
	const { error } = await lab.execute(lab.send(once, toPhone));
	expect(`${error?.message} ${error?.description}`).not.toMatch(TAG);
	expect(seen(error?.message)).toBe(`${body.title}: ${body.detail}`);
	expect(seen(error?.description)).toContain('<!-- </b>');
	expect(error?.context).toMatchObject({ data: body });
});

test('that of an item', async () => {
	await refusing();
	const run = await lab.execute(lab.send(once, toPhone), { settings: { onError: 'continueRegularOutput' } });
	const failed = errorOf(run.main[0][0]);
	expect(`${failed.message} ${failed.description}`).not.toMatch(TAG);
	expect(seen(failed.message)).toContain(phone);
	expect(failed.problem).toEqual(body);
});

test('a hint of Send and Wait, which quotes the failure of one of its questions', async () => {
	await lab.client.setFaults([{ kind: 'status', path: 'SendMessage', status: 422, body, times: 1 }]);
	const ask = lab.ask(
		{ ...once, maxConcurrency: 1 },
		{ toEmail: '={{ $json.to }}', message: 'May it go on?' },
	);
	const items = [{ to: 'boss@example.com' }, { to: 'ada@example.com' }];
	const run = await lab.execute(ask, { items });
	expect(run.hintTexts.join()).not.toMatch(TAG);
	expect(seen(run.hintTexts.join())).toContain('The first failure: "No such number: <a href');
});
