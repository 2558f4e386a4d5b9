import { normalizeBaseUrl } from '../../../nodes/Messaging/service/connect.ts';

test.each([
	['https://messaging.example.com', 'https://messaging.example.com'],
	['  https://messaging.example.com/ \n', 'https://messaging.example.com'],
	['https://messaging.example.com///', 'https://messaging.example.com'],
	['https://example.com/messaging/v2/', 'https://example.com/messaging/v2'],
	['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
	['http://[::1]:8080/', 'http://[::1]:8080'],
	['HTTPS://Example.com', 'HTTPS://Example.com'],
	['https://messaging.example.com/api/v1', 'https://messaging.example.com'],
	['https://messaging.example.com/api/v1/', 'https://messaging.example.com'],
	['https://example.com/messaging//API/V1//', 'https://example.com/messaging'],
	['https://example.com/myapi/v1', 'https://example.com/myapi/v1'],
	['https://example.com/api/v1/messaging', 'https://example.com/api/v1/messaging'],
	['https://api/v1', 'https://api/v1'],
])('%j becomes %j', (given, expected) => {
	expect(normalizeBaseUrl(given)).toBe(expected);
});

test.each([
	'',
	'  ',
	'messaging.example.com',
	'//messaging.example.com',
	'ftp://messaging.example.com',
	'https://',
	'https:///',
	'https:messaging',
	'http://exa mple.com',
	'https://example.com:port',
	'https://example.com?key=1',
	'https://example.com/#top',
	'javascript:alert(1)',
])('%j is no address', (given) => {
	expect(normalizeBaseUrl(given)).toBeUndefined();
});

test('slashes without end do no harm', () => {
	const slashes = '/'.repeat(100_000);
	expect(normalizeBaseUrl(`https://example.com${slashes}`)).toBe('https://example.com');
	expect(normalizeBaseUrl(`https://example.com${slashes} x`)).toBeUndefined();
	expect(normalizeBaseUrl(slashes)).toBeUndefined();
});
