/** Texts in scripts and with characters that break code written for Latin letters. */
export const TEXTS = {
	Hebrew: 'שלום דנה, הזמנה 1042 (דחופה) בדרך!',
	'Hebrew with vowel points': 'שָׁלוֹם עֲלֵיכֶם',
	Arabic: 'مرحبًا! طلبك رقم ١٠٤٢ في الطريق (50%).',
	'Persian, with a non-joiner': 'می\u200cخواهم ۱۲۳',
	'both directions in one line': 'Order 1042 של דנה (ACME) is ready',
	Chinese: '您的订单已发货。𠮷野家',
	Japanese: 'ご注文の品は発送されました。ﾊﾞｽ',
	Korean: '주문하신 상품이 발송되었습니다. \u1100\u1161\u11a8',
	Hindi: 'आपका ऑर्डर क्षि में है।',
	Thai: 'สวัสดีครับ น้ำ',
	Tamil: 'வணக்கம் நி',
	Turkish: 'İSTANBUL ısparta İ i ı I',
	Greek: 'ΟΔΟΣ οδός ᾳ',
	'a family': '👨‍👩‍👧‍👦👨🏿‍👩🏻‍👧🏽‍👦🏾',
	'flags, one of them of tags': '🇩🇪🇮🇱🏴󠁧󠁢󠁥󠁮󠁧󠁿🏳️‍🌈',
	'shades of skin': '👋🏻👋🏿👩🏽‍🚀',
	'an emoji and the same sign as text': '❤️❤︎©️',
	'one letter in two forms': '\u00e9 e\u0301 \u212b \u00c5 A\u030a',
	'a heap of accents': `Z${'\u0301\u0323\u0336'.repeat(20)}`,
	'marks of direction': '\u202eabc\u202c \u2067x\u2069 \u200e\u200f\u061c \u2069\u202c',
	'what can not be seen': 'a\u200bb\u2060c\ufeffd\u00ade\u180ef\u2800',
	'spaces of all widths around': '\u3000\u00a0\u2003x\u2028y\u2029z\u0085\u3000',
	controls: 'a\0b\u0001\u001b[31m\u007f\u009f\r\n\t\vc',
	'the ends of the planes': '\uffff\ufffe\ufdd0\u{10ffff}\u{e0001}',
	'what looks like an escape': '\\ud83d \\u0000 %F0%9F &#x1F600; \\',
} as const;

/** Text of 100,000 characters, each of eleven UTF-16 code units. */
export const LONG = '👨‍👩‍👧‍👦'.repeat(100_000);
