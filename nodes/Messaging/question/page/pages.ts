import type { Question } from '../question';
import type { WrongEntries } from '../entries';
import { answerForm } from './form';
import { Html, markup, OWN_TEXT, styleSheet } from './html';
import { STYLE } from './style';

/** The page may load nothing; its styles are inline. */
export const LOADS_NOTHING = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:";

/** The title of a question's page. It does not contain the question, because chats show titles in link previews. */
const TITLE = 'A question for you';

/** The page where a question is answered. After a wrong answer, it shows what was entered. */
export function questionPage({ page, answer }: Question, wrong?: WrongEntries): string {
	return document(wrong === undefined ? TITLE : `Not recorded yet: ${TITLE}`, page.css, [
		heading(page.title),
		markup`<p class="message"${OWN_TEXT}>${page.text}</p>`,
		wrong !== undefined &&
			markup`<p class="alert" role="alert">Your answer has not been recorded yet. Correct it below, and send it again.</p>`,
		answerForm(answer, wrong),
	]);
}

/**
 * The page that confirms an answer.
 *
 * @param said the label of the button that was clicked, or null
 */
export function answeredPage({ page }: Question, said: string | null): string {
	return document('Your answer has been recorded', page.css, [
		markup`<h1>Thank you, your answer has been recorded</h1>`,
		said !== null && markup`<p>Your answer: <strong${OWN_TEXT}>${said}</strong></p>`,
		markup`<p class="note">You can close this page.</p>`,
	]);
}

/** For a link that belongs to no open question of this run. A part of it may be missing. */
export const NO_QUESTION_PAGE = notice(
	'This link is incomplete, or its question is over',
	'Nothing was changed.',
	'Use the link in the latest message, and copy all of it.',
);

/** For a second answer while n8n takes the first one, which may still fail. It may be a second click. */
export const ANSWERED_BEFORE_PAGE = notice(
	'This was answered already',
	'An answer came in just before this one, and the first one counts.',
	'If you clicked twice, that was yours. To be sure, open the link again in a minute: it no longer asks.',
);

/** For an answer that is too long to be looked at. It is not given back: that page would be longer still. */
export const TOO_LONG_PAGE = notice(
	'Your answer is too long',
	'It has not been recorded.',
	'Go back in your browser, make it shorter than a million characters, and send it again.',
);

/** The page shown when another one could not be made. */
export const FAILED_PAGE = notice(
	'This page could not be shown',
	'Nothing was changed, and no answer has been recorded.',
	'Wait a minute and open the link in the message again. If this page comes back, tell the sender of the message.',
);

function notice(title: string, text: string, advice: string): string {
	return document(title, '', [
		markup`<h1>${title}</h1><p>${text}</p>`,
		markup`<p class="note">${advice}</p>`,
	]);
}

/** @param css the user's style rules, or '' */
function document(title: string, css: string, content: ReadonlyArray<Html | false>): string {
	return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${new Html(LOADS_NOTHING)}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>${title}</title>
${styleSheet(STYLE)}
${css !== '' && styleSheet(css)}
</head>
<body>
<main class="card">
${content.filter((part) => part !== false)}
</main>
</body>
</html>
`.text;
}

/** The heading of a question. Without a title it is visible to screen readers only, because they navigate by headings. */
function heading(title: string): Html {
	return title === '' ? markup`<h1 class="unseen">Your answer</h1>` : markup`<h1${OWN_TEXT}>${title}</h1>`;
}
