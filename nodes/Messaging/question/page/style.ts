/**
 * How the pages look. The variables have the same names as in n8n's own forms, so that the same custom rules work for
 * both. Their default values follow the reader's light or dark mode.
 */
export const STYLE = `
:root {
	color-scheme: light dark;
	--font-family: system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif;
	--font-weight-normal: 400;
	--font-weight-bold: 600;
	--font-size-header: 22px;
	--font-size-paragraph: 16px;
	--font-size-label: 15px;
	--font-size-input: 16px;
	--font-size-error: 14px;
	--color-background: #f4f5f7;
	--color-card-bg: #ffffff;
	--color-card-border: #dbdfe7;
	--color-card-shadow: rgba(30, 30, 60, 0.06);
	--color-header: #26272b;
	--color-label: #26272b;
	--color-html-text: #26272b;
	--color-header-subtext: #5c6068;
	--color-input-border: #868c98;
	--color-input-text: #26272b;
	--color-input-bg: #ffffff;
	--color-focus-border: #4b3fc9;
	--color-submit-btn-bg: #4b3fc9;
	--color-submit-btn-text: #ffffff;
	--color-error: #b3121f;
	--color-required: #b3121f;
	--border-radius-card: 8px;
	--border-radius-input: 6px;
	--padding-container-top: 24px;
	--padding-card: 24px;
	--padding-form-input: 12px;
	--container-width: 448px;
	--submit-btn-height: 48px;
	--checkbox-size: 20px;
	--box-shadow-card: 0 4px 16px 0 var(--color-card-shadow);
	--opacity-placeholder: 0.7;
}
@media (prefers-color-scheme: dark) {
	:root {
		--color-background: #17181c;
		--color-card-bg: #212329;
		--color-card-border: #363a44;
		--color-card-shadow: rgba(0, 0, 0, 0.4);
		--color-header: #f1f2f4;
		--color-label: #f1f2f4;
		--color-html-text: #f1f2f4;
		--color-header-subtext: #b3b8c2;
		--color-input-border: #7c8390;
		--color-input-text: #f1f2f4;
		--color-input-bg: #17181c;
		--color-focus-border: #a79fff;
		--color-submit-btn-bg: #a79fff;
		--color-submit-btn-text: #17181c;
		--color-error: #ff8f97;
		--color-required: #ff8f97;
	}
}
*, *::before, *::after { box-sizing: border-box; }
body {
	margin: 0;
	padding: var(--padding-container-top) 16px;
	background: var(--color-background);
	color: var(--color-html-text);
	font-family: var(--font-family);
	font-size: var(--font-size-paragraph);
	font-weight: var(--font-weight-normal);
	line-height: 1.5;
	overflow-wrap: anywhere;
	-webkit-text-size-adjust: 100%;
}
.card {
	max-width: var(--container-width);
	margin: 0 auto;
	padding: var(--padding-card);
	background: var(--color-card-bg);
	border: 1px solid var(--color-card-border);
	border-radius: var(--border-radius-card);
	box-shadow: var(--box-shadow-card);
}
h1 {
	margin: 0 0 12px;
	color: var(--color-header);
	font-size: var(--font-size-header);
	font-weight: var(--font-weight-bold);
	line-height: 1.25;
}
p { margin: 0 0 16px; }
p:last-child { margin-bottom: 0; }
/* Each line of a text has its own direction, and so has a placeholder. */
.message { white-space: pre-wrap; unicode-bidi: plaintext; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.note { color: var(--color-header-subtext); }
form { margin-top: 24px; }
.field, fieldset { margin: 0 0 20px; padding: 0; border: 0; min-width: 0; }
label, legend {
	display: block;
	padding: 0;
	margin-bottom: 6px;
	color: var(--color-label);
	font-size: var(--font-size-label);
	font-weight: var(--font-weight-bold);
}
.required { color: var(--color-required); }
.control {
	display: block;
	width: 100%;
	min-height: var(--submit-btn-height);
	padding: var(--padding-form-input);
	color: var(--color-input-text);
	background: var(--color-input-bg);
	border: 1px solid var(--color-input-border);
	border-radius: var(--border-radius-input);
	font: inherit;
	font-size: var(--font-size-input);
}
textarea.control { min-height: 120px; resize: vertical; }
.control::placeholder { color: inherit; opacity: var(--opacity-placeholder); unicode-bidi: plaintext; }
.choice {
	display: flex;
	gap: 12px;
	align-items: center;
	min-height: 44px;
	margin: 0;
	font-weight: var(--font-weight-normal);
}
.choice input {
	flex: none;
	width: var(--checkbox-size);
	height: var(--checkbox-size);
	margin: 0;
	accent-color: var(--color-submit-btn-bg);
}
.control[aria-invalid='true'] { border: 2px solid var(--color-error); }
.error { margin: 6px 0 0; color: var(--color-error); font-size: var(--font-size-error); }
.alert { padding: 12px; border: 2px solid var(--color-error); border-radius: var(--border-radius-input); }
.alert ul { margin: 0; padding-inline-start: 20px; }
.alert p { margin: 0; }
a { color: inherit; }
.buttons { display: flex; flex-wrap: wrap; gap: 12px; }
button {
	flex: 1 1 160px;
	min-height: var(--submit-btn-height);
	padding: 10px 16px;
	border: 2px solid var(--color-submit-btn-bg);
	border-radius: var(--border-radius-input);
	background: var(--color-submit-btn-bg);
	color: var(--color-submit-btn-text);
	font: inherit;
	font-weight: var(--font-weight-bold);
	overflow-wrap: anywhere;
	cursor: pointer;
}
button.secondary { background: transparent; color: var(--color-header); border-color: var(--color-input-border); }
a:focus-visible, button:focus-visible, .control:focus-visible, .choice input:focus-visible {
	outline: 3px solid var(--color-focus-border);
	outline-offset: 2px;
}
/* Ignores the second click of a double click, because the first one has sent the answer. */
button:focus:not(:focus-visible):not(:active) { pointer-events: none; }
`;
