import type { IDataObject, IExecuteFunctions, INode } from 'n8n-workflow';

import { Memory } from '../../../../nodes/Messaging/delivery/memory/memory.ts';
import type { ApiCall } from '../../../../nodes/Messaging/service/api-call.ts';
import type { Failure } from '../../../../nodes/Messaging/service/endings.ts';

/** An execution, as far as the memory looks at it; what n8n keeps for the node outlives each run. */
interface Execution {
	kept: IDataObject;
	id?: string;
	run?: number;
	items?: IDataObject[];
	node?: Partial<INode>;
}

function open(
	{ kept, id = '1', run = 0, items = [{}], node = {} }: Execution,
	scope = 'message send',
): Memory {
	const context = {
		getContext: () => kept,
		getWorkflowDataProxy: () => ({ $runIndex: run }),
		getExecutionId: () => id,
		getNode: () => node,
		getInputData: () => items.map((json) => ({ json })),
	};
	return Memory.open(context as unknown as IExecuteFunctions, scope);
}

const unknown: Failure = {
	message: 'What',
	description: 'How',
	statusCode: null,
	outcome: 'unknown',
	problem: null,
	cause: 'doubtful',
};
const call: ApiCall = { method: 'POST', path: '/x' };
const done = { json: [{ packageId: 'p' }] };
const uuid5 = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('the key of an item', () => {
	const items = [{ a: 1 }, { a: 1 }, { a: 2 }];
	const key = (change: Partial<Execution> = {}, item = 0, scope?: string) =>
		open({ kept: {}, items, ...change }, scope).itemKey(item);

	test('is the same in every repetition, also in another execution', () => {
		expect(key()).toBe(key());
		expect(key({ id: '2' })).toBe(key());
		expect(key({ items: structuredClone(items) })).toBe(key());
	});

	test('differs with the item, the run index and the operation', () => {
		const keys = [key(), key({}, 1), key({}, 2), key({ run: 1 }), key({}, 0, 'message edit')];
		expect(new Set(keys).size).toBe(keys.length);
	});

	test('differs when the item has changed', () => {
		expect(key({ items: [{ a: 3 }] })).not.toBe(key());
	});

	test('is short, and holds nothing of the item', () => {
		const secret = key({ items: [{ text: 'x'.repeat(100_000) }] });
		expect(secret).toMatch(/^[\w-]{22}$/);
	});

	test('is there for an item that JSON can not hold', () => {
		const circular: IDataObject = { a: 1 };
		circular['self'] = circular;
		expect(key({ items: [circular] })).toMatch(/^[\w-]{22}$/);
		expect(key({ items: [{ big: 1n as unknown as number }] })).toMatch(/^[\w-]{22}$/);
	});

	test('of a part differs with group, part, run and operation', () => {
		const memory = open({ kept: {} });
		const keys = [
			memory.partKey('g', 'p'),
			memory.partKey('h', 'p'),
			memory.partKey('g', 'q'),
			open({ kept: {}, run: 1 }).partKey('g', 'p'),
			open({ kept: {} }, 'outbox requeue').partKey('g', 'p'),
		];
		expect(new Set(keys).size).toBe(keys.length);
	});
});

describe('the UUID of an item', () => {
	test('is the same in every try, and another one in another execution', () => {
		const kept = {};
		const first = open({ kept });
		const id = first.uuidOf(first.itemKey(0));
		expect(id).toMatch(uuid5);
		const again = open({ kept });
		expect(again.uuidOf(again.itemKey(0))).toBe(id);
		const other = open({ kept: {} });
		expect(other.uuidOf(other.itemKey(0))).not.toBe(id);
	});

	test('survives saving and loading', () => {
		const kept = {};
		const before = open({ kept });
		const id = before.uuidOf(before.itemKey(0));
		const loaded = open({ kept: JSON.parse(JSON.stringify(kept)) as IDataObject, id: '2' });
		expect(loaded.uuidOf(loaded.itemKey(0))).toBe(id);
	});

	test('differs between items', () => {
		const memory = open({ kept: {}, items: [{}, {}] });
		expect(memory.uuidOf(memory.itemKey(0))).not.toBe(memory.uuidOf(memory.itemKey(1)));
	});
});

describe('what is remembered', () => {
	test('is there in the next try, and after saving and loading', () => {
		const kept = {};
		const memory = open({ kept });
		memory.ended(['a'], done);
		memory.ended(['b'], { failure: unknown });
		expect(open({ kept }).recall('a')).toEqual(done);
		const loaded = open({ kept: JSON.parse(JSON.stringify(kept)) as IDataObject, id: '2' });
		expect(loaded.recall('a')).toEqual(done);
		expect(loaded.recall('b')).toEqual({ failure: unknown });
		expect(loaded.recall('c')).toBeUndefined();
	});

	test('stays in doubt when another call with the same part is refused', () => {
		const memory = open({ kept: {} });
		memory.ended(['shared'], { failure: unknown });
		memory.watch(['shared'], call).left();
		memory.ended(['shared'], undefined);
		expect(memory.recall('shared')).toEqual({ failure: unknown });
	});
});

describe('an interruption', () => {
	test('makes unknown what is on its way, and nothing else', () => {
		const memory = open({ kept: {} });
		memory.watch(['on its way', 'with it'], call).left();
		const refused = memory.watch(['refused'], call);
		refused.left();
		refused.cameBack();
		memory.watch(['waiting'], call);
		memory.watch(['done'], call).left();
		memory.ended(['done'], done);
		memory.watch(['rejected'], call).left();
		memory.ended(['rejected'], undefined);

		memory.interrupt();

		for (const key of ['on its way', 'with it'])
			expect(memory.recall(key)).toMatchObject({ failure: { outcome: 'unknown', statusCode: null } });
		for (const key of ['refused', 'waiting', 'rejected']) expect(memory.recall(key)).toBeUndefined();
		expect(memory.recall('done')).toEqual(done);
	});

	test('knows what was accepted, before its answer has been read and after', () => {
		const kept = {};
		const memory = open({ kept });
		const [accepted, keyed, lost] = ['accepted', 'keyed', 'lost'].map((key) =>
			memory.watch([key, `${key} too`], call, key === 'keyed', () => {
				if (key === 'lost') throw new Error('no output');
				return [{ packageId: key }];
			}),
		);
		for (const watch of [accepted, keyed, lost]) {
			watch?.left();
			watch?.accepted();
		}

		memory.interrupt();

		const saved = open({ kept: JSON.parse(JSON.stringify(kept)) as IDataObject });
		expect(saved.recall('accepted')).toEqual({ json: [{ packageId: 'accepted' }] });
		expect(saved.recall('accepted too')).toEqual({ json: [{ packageId: 'accepted' }] });
		expect(saved.recall('keyed')).toEqual({ json: [{ packageId: 'keyed' }], underKey: true });
		expect(saved.recall('lost')).toMatchObject({ failure: { outcome: 'unknown' } });

		memory.ended(['accepted'], done);
		memory.ended(['accepted too'], { failure: unknown });
		expect(open({ kept }).recall('accepted')).toEqual(done);
		expect(open({ kept }).recall('accepted too')).toEqual({ json: [{ packageId: 'accepted' }] });
	});

	test('that finds a call on its way again knows nothing of an answer before', () => {
		const memory = open({ kept: {} });
		const watch = memory.watch(['a'], call, false, () => [{}]);
		watch.left();
		watch.accepted();
		watch.left();
		memory.interrupt();
		expect(memory.recall('a')).toMatchObject({ failure: { outcome: 'unknown' } });
	});

	test('tells what is on its way under a once key from what has none', () => {
		const memory = open({ kept: {} });
		memory.watch(['with'], call, true).left();
		memory.watch(['without'], call).left();
		memory.interrupt();
		expect([memory.recall('with')?.underKey, memory.recall('without')?.underKey]).toEqual([true, undefined]);
	});

	test('is over for a call that ended after all without anything to remember', () => {
		const memory = open({ kept: {} });
		memory.watch(['refused'], call).left();
		memory.interrupt();
		memory.ended(['refused'], undefined);
		expect(memory.recall('refused')).toBeUndefined();
	});

	test('leaves alone what has gone out with another item', () => {
		const memory = open({ kept: {} });
		memory.ended(['shared'], done);
		memory.watch(['shared'], call).left();
		memory.interrupt();
		expect(memory.recall('shared')).toEqual(done);
	});

	test('does not forget that an earlier try had left', () => {
		const kept = {};
		open({ kept }).ended(['a'], { failure: unknown });
		const again = open({ kept });
		again.watch(['a'], call);
		again.interrupt();
		expect(again.recall('a')).toEqual({ failure: unknown });
	});
});

describe('an item that makes no call, of those that share calls', () => {
	test('has not made one before where no try could read it', () => {
		const kept = {};
		const first = open({ kept });
		expect([first.neverMade('bad'), first.neverMade('mended')]).toEqual([true, true]);
		first.made('good');
		first.ended(['a part'], done);
		const second = open({ kept });
		second.made('mended');
		expect(['bad', 'mended', 'good'].map((key) => second.neverMade(key))).toEqual([true, false, false]);
		const saved = open({ kept: JSON.parse(JSON.stringify(kept)) as IDataObject, id: '2' });
		expect(['bad', 'mended', 'good'].map((key) => saved.neverMade(key))).toEqual([true, false, false]);
	});
});

describe('the memory is cleared', () => {
	const retrying = { retryOnFail: true, maxTries: 3 };

	/** Whether anything is left after each of these returns of the node. */
	function leftAfter(returns: boolean[], execution: Partial<Execution> = {}): boolean[] {
		const kept: IDataObject = {};
		return returns.map((firstItemFailed) => {
			const memory = open({ kept, ...execution });
			memory.ended(['a'], done);
			memory.closeAfterReturn(firstItemFailed);
			return Object.keys(kept).length > 0;
		});
	}

	test('after a success', () => {
		expect(leftAfter([false])).toEqual([false]);
		expect(leftAfter([false], { node: retrying })).toEqual([false]);
	});

	test('after a failed first item, unless n8n repeats the node', () => {
		expect(leftAfter([true])).toEqual([false]);
		expect(leftAfter([true, true, true], { node: retrying })).toEqual([true, true, false]);
	});

	// As n8n counts: `Math.min(5, Math.max(2, maxTries || 3))`.
	test.each<[number | undefined, number]>([
		[undefined, 3],
		[0, 3],
		[1, 2],
		[2, 2],
		[4, 4],
		[5, 5],
		[50, 5],
	])('with Max Tries %s after try %i', (maxTries, tries) => {
		const node = { retryOnFail: true, ...(maxTries === undefined ? {} : { maxTries }) };
		const left = leftAfter(Array<boolean>(tries).fill(true), { node });
		expect(left).toEqual([...Array<boolean>(tries - 1).fill(true), false]);
	});

	test('and not when the node throws: then nobody closes it', () => {
		const kept = {};
		open({ kept }).ended(['a'], done);
		expect(open({ kept }).recall('a')).toEqual(done);
	});

	test('tries are counted anew in another execution and in another run of a loop', () => {
		const kept: IDataObject = {};
		const attempt = (change: Partial<Execution>): boolean => {
			open({ kept, node: retrying, ...change }).closeAfterReturn(true);
			return Object.keys(kept).length > 0;
		};
		expect([attempt({}), attempt({}), attempt({ run: 1 }), attempt({ run: 1 })]).toEqual([
			true,
			true,
			true,
			true,
		]);
		expect([attempt({ id: '2' }), attempt({ id: '2' }), attempt({ id: '2' })]).toEqual([true, true, false]);
	});

	test('and takes nothing else away that is kept for the node', () => {
		const kept: IDataObject = { somebodyElse: 1 };
		open({ kept }).closeAfterReturn(false);
		expect(kept).toEqual({ somebodyElse: 1 });
	});
});

test('a once key whose end could not be noted is told by each later try, until something has gone out under it', () => {
	const execution: Execution = { kept: {} };
	expect(open(execution).keepUnnoted(['one', 'two'])).toEqual(['one', 'two']);
	execution.kept = structuredClone(execution.kept);
	expect(open(execution).keepUnnoted(['three'])).toEqual(['one', 'two', 'three']);

	const last = open(execution);
	last.goneOut('two');
	last.goneOut('three');
	expect(last.keepUnnoted(['three'])).toEqual(['one', 'three']);
	open(execution).goneOut('one');
	expect(open(execution).keepUnnoted([])).toEqual(['one', 'three']);
});
