import { nameUuid } from '../../../nodes/Messaging/shared/uuid.ts';

test.each([
	// RFC 9562, appendix A.4.
	['6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'www.example.com', '2ed6657d-e927-568b-95e1-2665a8aea6a2'],
	['6ba7b811-9dad-11d1-80b4-00c04fd430c8', 'http://www.example.com/', 'fcde3c85-2270-590f-9e7c-ee003d65e0e2'],
])('in namespace %s, the name-based UUID of %s is %s', (namespace, name, uuid) => {
	expect(nameUuid(namespace, name)).toBe(uuid);
});
