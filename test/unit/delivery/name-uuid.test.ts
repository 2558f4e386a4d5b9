import { nameUuid } from '../../../nodes/Messaging/delivery/saved.ts';

const DNS = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
const URL_SPACE = '6ba7b811-9dad-11d1-80b4-00c04fd430c8';

test.each([
	// RFC 9562, appendix A.4.
	[DNS, 'www.example.com', '2ed6657d-e927-568b-95e1-2665a8aea6a2'],
	[URL_SPACE, 'http://www.example.com/', 'fcde3c85-2270-590f-9e7c-ee003d65e0e2'],
])('in namespace %s, %s is %s', (namespace, name, uuid) => {
	expect(nameUuid(namespace, name)).toBe(uuid);
});

test('the same name gives the same UUID, and another namespace or name another one', () => {
	expect(nameUuid(DNS, 'a')).toBe(nameUuid(DNS, 'a'));
	expect(new Set([nameUuid(DNS, 'a'), nameUuid(DNS, 'b'), nameUuid(URL_SPACE, 'a')]).size).toBe(3);
	expect(nameUuid(DNS, 'ä 𝄞')).toMatch(
		/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
	);
});
