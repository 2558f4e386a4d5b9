'use strict';
const byId = (id) => document.getElementById(id);

/** An element with attributes and children. Strings become text, never HTML. */
function el(tag, attributes, ...children) {
	const node = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
	node.append(...children.filter((child) => child !== null));
	return node;
}
/** Text with its web addresses as links, because questions are answered on a linked page. */
const linked = (text) => {
	const link = (to) => el('a', { href: to, target: '_blank', rel: 'noreferrer' }, to);
	return text.split(/(https?:\/\/[^\s<>"]+)/).map((part, n) => (n % 2 === 1 ? link(part) : part));
};
/** Text of users, with its own writing direction. */
const own = (text) => el('span', { dir: 'auto' }, text);
const tag = (text, kind = '') => el('span', { class: `tag ${kind}` }, text);
const sub = (...parts) => el('div', { class: 'sub' }, ...parts);
const code = (text) => el('span', { class: 'code' }, text);
const wide = (...parts) => el('td', { class: 'wide' }, ...parts);
const td = (...parts) => el('td', {}, ...parts);
const tr = (...parts) => el('tr', {}, ...parts);
const li = (...parts) => el('li', {}, ...parts);
const end = (text) => el('span', { class: 'sub end' }, text);
const plural = (count, one, many) => `${count.toLocaleString()} ${count === 1 ? one : many}`;

function time(iso, title = iso) {
	const date = new Date(iso);
	const isToday = date.toDateString() === new Date().toDateString();
	const day = date.toLocaleDateString([], { day: 'numeric', month: 'short', year: 'numeric' });
	const shown = isToday ? date.toLocaleTimeString([], { hour12: false }) : day;
	return el('td', { class: 'sub', title }, shown);
}

/** A button that does something; it keeps the focus when its row is drawn anew. */
function button(attributes, text, act) {
	const node = el('button', { type: 'button', ...attributes }, text);
	node.addEventListener('click', () => act(node));
	return node;
}

/** An ID that a click or Enter copies. */
const id = (value, what) =>
	button({ class: 'copy code', title: `Copy the ${what}`, 'data-copy': value }, value, async (node) => {
		try {
			await navigator.clipboard.writeText(value);
		} catch {
			// Browsers block the clipboard on pages from other machines: select the ID instead.
			return getSelection().selectAllChildren(node);
		}
		byId('copied').textContent = `The ${what} ${value} copied`;
		node.classList.add('copied');
		setTimeout(() => node.classList.remove('copied'), 1500);
	});
