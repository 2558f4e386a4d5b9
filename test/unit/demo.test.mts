import { describeAddresses } from '../../dev/demo/report.mts';

test('the demo says with which address and key to build a credential', () => {
	const at = {
		editor: 'http://127.0.0.1:5678/workflow/1',
		email: 'demo@example.com',
		password: 'secret',
		page: 'http://127.0.0.1:4010/_sandbox/',
		baseUrl: 'http://127.0.0.1:4010/gateway',
		apiKey: 'org_of-this-run',
		webhook: 'http://127.0.0.1:5678/webhook/1',
		userFolder: '/tmp/demo',
	};
	const lines = describeAddresses(at).split('\n');
	// Under the names used in the dialog.
	expect(lines).toContainEqual(expect.stringMatching(/^ *Base URL +http:\/\/127\.0\.0\.1:4010\/gateway$/));
	expect(lines).toContainEqual(expect.stringMatching(/^ *API Key +org_of-this-run$/));
});
