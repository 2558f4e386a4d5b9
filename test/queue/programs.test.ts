import { SetupProblem } from '../../dev/harness/n8n/node24.ts';
import { findQueuePrograms } from '../../dev/harness/queue/programs.ts';

describe('what queue mode needs beside n8n', () => {
	const path = process.env.PATH;
	afterEach(() => {
		process.env.PATH = path;
	});

	it('is named in one line, with the command that installs it, where it is missing', () => {
		process.env.PATH = '';

		expect(findQueuePrograms).toThrow(SetupProblem);
		expect(findQueuePrograms).toThrow(
			/^The tests of queue mode need PostgreSQL and Redis\. Missing: .*redis-server.*apt-get install .*redis-server/,
		);
	});
});
