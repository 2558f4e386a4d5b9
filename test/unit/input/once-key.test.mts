/** Once keys that tell no two messages apart, and what the run says of those that may be meant. */
import { sourceWith, refusalBy } from '../support/operations.mts';
import { savedSource } from '../support/saved.mts';
import { callSettings } from '../../../nodes/Messaging/delivery/settings.ts';
import { isSameInEveryRun } from '../../../nodes/Messaging/input/once-key.ts';
import { findOperation } from '../../../nodes/Messaging/operations/index.ts';
import { ruleOf } from '../../docs/refused-examples.mts';

const send = findOperation('message', 'send')!;

/** What the node reads as the key, in a workflow or in a tool. */
function keyOf(onceKey: string, isTool = false): string | undefined {
	const source = savedSource(send.fields, { options: { onceKey } }, { id: 'o-1', $itemIndex: 0 });
	const { unresolved } = source;
	const resolved = sourceWith(
		{ ...source, resolve: () => 'x' },
		{ isTool, ...(unresolved && { unresolved }) },
	);
	return callSettings({ ...resolved, read: () => ({ onceKey: 'o-1' }) }, send).onceKey;
}

/** The rule that refuses a key. */
const refused = (key: string, isTool = false) => ruleOf(refusalBy(() => keyOf(key, isTool)).hint);
const TELLS_NOTHING_APART = expect.stringContaining('`$itemIndex`') as unknown;

test.each([
	'={{ $itemIndex }}',
	'={{ $runIndex }}',
	'={{ $execution.id }}',
	'={{ $workflow.id }}-{{ $itemIndex }}',
	'=order-{{ $execution.id }}-{{ $itemIndex + 1 }}',
	'={{ $vars.shop }}-{{ $itemIndex }}',
	'={{ $json.row_number }}',
	'=row {{ $("Sheet").item.json["row_number"] + 1 }}',
])('%s counts items and runs: it is refused, in a workflow and in a tool', (key) => {
	expect([refused(key), refused(key, true)]).toEqual([TELLS_NOTHING_APART, TELLS_NOTHING_APART]);
});

test.each([
	'={{ $json.id }}',
	'={{ $json.id }}-{{ $itemIndex }}',
	'={{ $("Webhook").item.json.id }}',
	'={{ $now.toISODate() }}',
	'={{ $today.toFormat("yyyy-MM-dd") }}-{{ $itemIndex }}',
	'={{ $fromAI("key") }}',
	'={{ $execution.id }}-{{ $json.id }}',
	'={{ $json.row_number }}-{{ $json.id }}',
	'={{ $json.row_number_of_order }}',
])('%s is a key, in a workflow and in a tool', (key) => {
	expect([keyOf(key), keyOf(key, true)]).toEqual(['o-1', 'o-1']);
});

test.each(['daily-digest', '={{ "daily" }}-digest', '={{ $vars.shop }}'])(
	'%s is the same in every run: it is a key in a workflow, and none in a tool, whose second call would be lost',
	(key) => {
		expect(keyOf(key)).toBe('o-1');
		expect(refused(key, true)).toEqual(TELLS_NOTHING_APART);
		expect(isSameInEveryRun(key)).toBe(true);
	},
);
