/** The colors in light and in dark mode. The variables have the same names as in n8n's own forms. */
const COLORS = `
	--color-background: light-dark(#f4f5f7, #17181c);
	--color-card-bg: light-dark(#ffffff, #212329);
	--color-card-border: light-dark(#dbdfe7, #363a44);
	--color-card-shadow: light-dark(#1e1e3c0f, #00000066);
	--color-header: light-dark(#26272b, #f1f2f4);
	--color-label: light-dark(#26272b, #f1f2f4);
	--color-html-text: light-dark(#26272b, #f1f2f4);
	--color-header-subtext: light-dark(#5c6068, #b3b8c2);
	--color-input-border: light-dark(#868c98, #7c8390);
	--color-input-text: light-dark(#26272b, #f1f2f4);
	--color-input-bg: light-dark(#ffffff, #17181c);
	--color-focus-border: light-dark(#4b3fc9, #a79fff);
	--color-submit-btn-bg: light-dark(#4b3fc9, #a79fff);
	--color-submit-btn-text: light-dark(#ffffff, #17181c);
	--color-error: light-dark(#b3121f, #ff8f97);
	--color-required: light-dark(#b3121f, #ff8f97);
`;

/** Those of light mode, for browsers without light-dark(), of before 2024: an unknown function would be no color at all. */
const LIGHT_COLORS = COLORS.replace(/light-dark\((#\w+), #\w+\)/g, '$1');

/**
 * How the pages look. The same custom rules work as for n8n's own forms. Variables that are used once have their default
 * where they are used.
 */
export const STYLE = `
:root {
	color-scheme: light;
	--font-weight-normal: 400;
	--font-weight-bold: 600;
	${LIGHT_COLORS}
	--border-radius-input: 6px;
	--submit-btn-height: 48px;
	--checkbox-size: 20px;
}
@supports (color: light-dark(#fff, #000)) {
	:root { color-scheme: light dark; ${COLORS} }
}
*, *::before, *::after { box-sizing: border-box; }
body {
	margin: 0;
	padding: var(--padding-container-top, 24px) 16px;
	background: var(--color-background);
	color: var(--color-html-text);
	font-family: var(--font-family, system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif);
	font-size: var(--font-size-paragraph, 16px);
	font-weight: var(--font-weight-normal);
	line-height: 1.5;
	overflow-wrap: anywhere;
	-webkit-text-size-adjust: 100%;
}
.card {
	max-width: var(--container-width, 448px);
	margin: 0 auto;
	padding: var(--padding-card, 24px);
	background: var(--color-card-bg);
	border: 1px solid var(--color-card-border);
	border-radius: var(--border-radius-card, 8px);
	box-shadow: var(--box-shadow-card, 0 4px 16px 0 var(--color-card-shadow));
}
h1 {
	margin: 0 0 12px;
	color: var(--color-header);
	font-size: var(--font-size-header, 22px);
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
	font-size: var(--font-size-label, 15px);
	font-weight: var(--font-weight-bold);
}
.required { color: var(--color-required); }
.control {
	display: block;
	width: 100%;
	min-height: var(--submit-btn-height);
	padding: var(--padding-form-input, 12px);
	color: var(--color-input-text);
	background: var(--color-input-bg);
	border: 1px solid var(--color-input-border);
	border-radius: var(--border-radius-input);
	font: inherit;
	font-size: var(--font-size-input, 16px);
}
textarea.control { min-height: 120px; resize: vertical; }
.control::placeholder { color: inherit; opacity: var(--opacity-placeholder, 0.7); unicode-bidi: plaintext; }
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
.error { margin: 6px 0 0; color: var(--color-error); font-size: var(--font-size-error, 14px); }
.alert { padding: 12px; border: 2px solid var(--color-error); border-radius: var(--border-radius-input); }
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
button:focus-visible, .control:focus-visible, .choice input:focus-visible {
	outline: 3px solid var(--color-focus-border);
	outline-offset: 2px;
}
/* Ignores the second click of a double click, because the first one has sent the answer. */
button:focus:not(:focus-visible):not(:active) { pointer-events: none; }
`;
