import { isOnThisMachine } from '../../dev/sandbox/records/outbox.mts';

/** Outbox entries are real requests only to receivers on this machine. */

test.each([
	['http://127.0.0.1:5678/a', true],
	['https://localhost/', true],
	['http://[::1]:80/', true],
	['http://127.0.0.1.example.com/', false],
	['http://localhost@example.com/', false],
	['https://tickets.acme.example/', false],
	['http://10.0.0.1/', false],
	['ftp://127.0.0.1/', false],
	['', false],
])('%s gets a request: %s', (address, gets) => expect(isOnThisMachine(address)).toBe(gets));
