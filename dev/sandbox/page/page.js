/** Calls one of the sandbox's control endpoints. */
const control = (method, path, body) => fetch(path, { method, body: JSON.stringify(body) });

/** What is shown, by the list and the id of the record; and until when the rows of a list stay, for a click. */
const shown = {};
const heldUntil = {};
let loaded = false;
for (const name of ['messages', 'outbox', 'requests']) {
	byId(name).addEventListener('pointermove', () => (heldUntil[name] = performance.now() + 2000));
}

/** Shows records by their id. New and changed ones are highlighted, others are kept. */
function fill(name, records, draw) {
	const list = byId(name);
	const wait = list.matches(':hover') ? (heldUntil[name] ?? 0) - performance.now() : 0;
	clearTimeout(fill[name]);
	if (loaded && wait > 0) return (fill[name] = setTimeout(() => fill(name, records, draw), wait));
	const before = shown[name] ?? new Map();
	shown[name] = new Map();
	for (const record of records) {
		const text = JSON.stringify(record);
		const old = before.get(record.id);
		const node = old?.text === text ? old.node : draw(record);
		if (loaded && old?.text !== text) node.classList.add('fresh');
		shown[name].set(record.id, { text, node });
	}
	// A button whose row is drawn anew loses the focus: give it back.
	const { copy } = list.contains(document.activeElement) ? document.activeElement.dataset : {};
	list.replaceChildren(...[...shown[name].values()].map(({ node }) => node));
	if (records.length === 0 && list.dataset.empty)
		list.append(tr(el('td', { colspan: 5, class: 'sub' }, list.dataset.empty)));
	list.querySelector(`[data-copy="${copy}"]`)?.focus({ preventScroll: true });
}

function messageRow(message) {
	const { at, sentAt, from, edits, deleted } = message;
	return el(
		'tr',
		{ class: `${deleted ? 'gone' : ''} ${from === null ? '' : 'in'}` },
		time(at, at === sentAt ? at : `${at}, sent ${sentAt}`),
		td(from === null ? tag('to') : tag('from', 'good'), ' ', own(from ?? (message.to || '(no recipient)'))),
		td(
			el('div', { class: 'text', dir: 'auto' }, ...linked(message.text || `(${message.type ?? 'no text'})`)),
			id(message.messageId, 'message ID'),
			id(message.packageId, 'package ID'),
			edits > 0 ? tag(edits === 1 ? 'edited' : `edited ${edits} times`, 'warn') : null,
			deleted ? tag('deleted', 'bad') : null,
		),
		wide(own(message.channel), sub(own(message.account))),
	);
}

const outboxKinds = { Pending: 'warn', Sent: 'good', Failed: 'bad' };
function outboxRow(entry) {
	const unreached = entry.status === 'Failed' ? 'not reached' : '';
	const details = [
		entry.code === null ? unreached : `answered ${entry.code}`,
		entry.retries > 0 ? plural(entry.retries, 'retry', 'retries') : '',
	].filter(Boolean);
	return tr(
		time(entry.at),
		td(tag(entry.status, outboxKinds[entry.status])),
		td(own(entry.channel)),
		td(code(entry.url), id(entry.id, 'outbox entry ID'), sub(details.join(', '))),
		wide(own(entry.correlationId ?? '')),
	);
}

function answerTag({ status, inFlightMs, clientClosed }) {
	if (status !== null) return tag(String(status), status < 300 ? 'good' : status < 500 ? 'warn' : 'bad');
	if (inFlightMs === null) return tag('open');
	return tag(clientClosed ? 'client left' : 'dropped', 'bad');
}
function requestRow(request) {
	const isHidden = request.accepted && (request.status === null || request.status >= 300);
	const problems = request.problems.slice(0, 4).map((problem) => el('div', { class: 'sub bad' }, problem));
	return tr(
		time(request.at),
		td(answerTag(request), isHidden ? sub('took effect') : null),
		td(
			code(`${request.method} ${request.path} `),
			el('span', { class: 'sub' }, request.operationId ?? ''),
			...problems,
			request.fault ? tag(`fault: ${request.fault}`, 'warn') : null,
		),
		wide(own(request.key ?? 'no valid key')),
		wide(request.inFlightMs === null ? '' : `${request.inFlightMs.toFixed(1)} ms`),
	);
}

function accountRow(row) {
	if (row.empty !== undefined) return el('li', { class: 'sub' }, row.empty);
	if (row.organization !== undefined) return li(el('b', {}, own(row.name)), end(row.organization));
	const state = row.isConnected ? 'connected' : 'not connected';
	const does = row.isConnected ? 'Disconnect' : 'Connect';
	return el(
		'li',
		{ title: `${row.status}, ${state}` },
		el('span', { class: `dot ${row.isConnected ? 'on' : ''}`, role: 'img', 'aria-label': state }),
		own(row.name),
		row.canSend ? null : tag(row.status, 'warn'),
		end(row.type),
		button({ 'aria-label': `${does} ${row.name}`, 'data-copy': `switch ${row.id}` }, does, () =>
			control('PATCH', `channels/${row.id}`, { isConnected: !row.isConnected }),
		),
		id(row.id, 'channel ID'),
	);
}
function showAccounts(accounts) {
	const rows = accounts.flatMap(({ channels, ...account }) => {
		const none = { id: `none ${account.id}`, empty: 'No channels yet.' };
		return [account, ...(channels.length === 0 ? [none] : channels)];
	});
	fill('accounts', rows, accountRow);
	// The channels that a customer can write to; first those whose messages are delivered.
	const select = byId('write').elements.channelId;
	const { value } = select;
	const open = rows
		.filter(({ receives }) => receives)
		.sort((one, other) => other.isDelivered - one.isDelivered);
	select.replaceChildren(...open.map((channel) => el('option', { value: channel.id }, channel.name)));
	if (open.some((channel) => channel.id === value)) select.value = value;
}

byId('write').addEventListener('submit', (event) => {
	event.preventDefault();
	void write(event.target);
});

async function write(form) {
	const answer = await control('POST', 'incoming', Object.fromEntries(new FormData(form)));
	const { outboxEntryId, detail } = await answer.json();
	if (answer.ok) form.elements.text.value = '';
	byId('written').textContent = outboxEntryId
		? 'The outbox below delivers it.'
		: (detail ?? 'Not delivered: the feedback channel of this channel is no HTTP channel.');
}

const faultButtons = {
	lose: { kind: 'lostResponse', path: '/message/', times: 1 },
	down: { kind: 'status', status: 503, headers: { 'retry-after': '2' }, seconds: 10 },
};
for (const [name, rule] of Object.entries(faultButtons)) {
	byId(name).addEventListener('click', () => void control('PUT', 'faults', [rule]));
}

const keyRow = ({ id: keyId, name, revoked, token, plan }) => {
	const state = revoked ? tag('revoked', 'bad') : null;
	return li(own(name), state, sub(code(token), `, ${plan}`), id(keyId, 'API key ID'));
};

function showFaults(all) {
	const faults = all.filter(({ rule, applied }) => applied < (rule.times ?? Infinity));
	byId('faults').hidden = faults.length === 0;
	byId('faults').replaceChildren(
		el('b', {}, faults.length === 1 ? 'One fault is on' : 'Faults are on'),
		...faults.map(({ rule: { kind, ...settings }, applied }) => {
			const parts = Object.entries(settings).map(
				([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : value}`,
			);
			return tag(`${kind}: ${parts.join(', ')} (applied ${plural(applied, 'time', 'times')})`, 'warn');
		}),
	);
}

const totals = {};
function show({ accounts, keys, faults, messages, outbox, requests }) {
	if (accounts) showAccounts(accounts);
	if (keys) fill('keys', keys, keyRow);
	if (faults) showFaults(faults);
	if (messages) fill('messages', messages.rows, messageRow);
	if (outbox) fill('outbox', outbox.rows, outboxRow);
	if (outbox)
		byId('outbox-note').textContent =
			`${outbox.counts[1] ?? 0} pending, ${outbox.counts[3] ?? 0} failed; latest change on top; click an ID to copy it`;
	if (requests) fill('requests', requests.rows, requestRow);
	Object.assign(totals, messages && { messages }, outbox && { outbox }, requests && { requests });
	const words = { messages: 'message', outbox: 'outbox entry', requests: 'request' };
	const shownTotals = Object.entries(words).flatMap(([name, one]) => {
		const [number, word] = plural(totals[name].total, one, `${one}s`.replace('ys', 'ies')).split(/ (.*)/);
		return [el('b', {}, number), ` ${word} `];
	});
	byId('numbers').replaceChildren(...shownTotals);
	loaded = true;
}

function receive(text) {
	const data = JSON.parse(text);
	byId('dot').className = 'dot on';
	byId('connection').textContent = `Live, seed ${data.seed}`;
	show(data);
}

receive(byId('first').textContent);
const events = new EventSource('events');
events.onmessage = (event) => receive(event.data);
events.onerror = () => {
	byId('dot').className = 'dot';
	byId('connection').textContent = 'Not connected: the sandbox has stopped';
};
