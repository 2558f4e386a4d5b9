/**
 * `docs/for-models.md`, what a model reads before it writes a workflow. The sentences are written by hand, here: at most
 * forty lines. The names are those of the node: `npm run docs` fails when one is missing or gone.
 */
import type { Properties } from '../../nodes/Messaging/input/parameter-types.ts';
import { operations } from '../../nodes/Messaging/operations/index.ts';
import type { Operation } from '../../nodes/Messaging/operations/operation.ts';
import { triggerFields } from '../../nodes/Messaging/trigger/watch.ts';
import { lines, NODE_TYPE } from './chapters.mts';
import { isSeen } from './fields.mts';
import { sharedOptions, withoutSharedOptions } from './pages.mts';

/** The page, below the project's root. */
export const modelsPage = 'docs/for-models.md';

/** A model pays a token for about four characters. */
const MOST_CHARACTERS = 7_200;

const HEAD = [
	'# For models that write workflows\n',
	`Node type \`${NODE_TYPE}\` (agent's tool \`.messagingTool\`, where \`={{ $fromAI('Text') }}\` lets the model fill in a field; human in the loop \`.messagingHitlTool\`), trigger \`.messagingTrigger\`; typeVersion 1; \`"credentials":{"messagingApi":{"id":"","name":"..."}}\`. **message send** means \`"resource":"message","operation":"send"\`. * = required. Expressions begin with "=". Unknown names are refused in collections; at the top, n8n drops many silently.\n`,
	'CH = `{"__rl":true,"mode":"id","value":"<UUID>"}`; for channelId and accountId also `"mode":"name","value":"<exact name>"`.',
];

/** Parts that several operations name in capitals. `@name` is a name in the description of the node. */
const SHARED: Readonly<Record<string, string>> = {
	TO: '@addressType @EMAIL (default): @toEmail* (one address) | @other: @toType* `PHONE`, @toRows* `{"@values":[{"@name":"phone","@value":"={{ $json.phone }}"}]}`. Type and row names are the service\'s own. The channel decides between SMS and WhatsApp.',
	QUERY: '`{"@parameters":[{"@name","@value"}]}`',
	MORE: '@contentType, @correlationId, @deliveryDeadline (date), @from (JSON), @isGroupMessage, @otherContent (JSON), @packageId (UUID), @priority, @providerMetadata (JSON)',
	RARE: '@accountId, @accountName, @contentMessageId, @contentTimestamp, @deliveryStrategy, @echoMessage, @isAnnounceGroup, @isBroadcast, @isCommunityNotices, @isForwarded, @isFromMe, @isHistoryMessage, @isNewsletter, @isStatusMessage, @organizationID, @organizationName, @referralAds, @timestamp',
};

/** What the operations have: names in the description of each. Options that several have are listed apart. */
const OPERATIONS: Readonly<Record<string, string>> = {
	'message.send, message.preview':
		'@channelId* CH; TO; @text*; @additionalFields:{MORE, @quotedMessage (JSON), @toName}; @rareFields:{RARE, @originPackageId}. Or @inputMode @json (default @fields) with @package* `{"channelId","content":{"type":"TEXT","text","to":{"type":"PHONE","phone"}}}`',
	'message.reply':
		"answers what a Webhook node received. @incoming* `={{ $json.body }}` right behind it, else `={{ $('Webhook').item.json.body }}`; @text*; @channelId (empty: the message's own); @quote; @answerOnce (true: needs content.messageId); @additionalFields:{MORE}; @rareFields:{RARE}. Refuses isFromMe, isGroupMessage and the like: filter them before",
	'message.edit, message.delete':
		"@channelId* CH; @chatId*; @messageId* (send's output); edit: @newText*; @additionalFields:{@correlationId}. chatId is the service's own: look at what send returns. Often it is the recipient's address, `={{ $json.recipient }}`",
	'message.sendAndWait':
		'@channelId* CH; TO; @message*; @responseType @approval|@freeText|@customForm; @approvalOptions `{"@values":{"@approvalType":"@double","@approveLabel":"Yes","@disapproveLabel":"No"}}` (default @single: nobody can decline); @formFields* `{"values":[{"@fieldLabel","@fieldType":"@checkbox|@date|@dropdown|@email|@number|@radio|@text|@textarea","@fieldOptions":{"values":[{"@option"}]},"@requiredField","@fieldName","@placeholder","@defaultValue"}]}` (or @defineForm @json, default @fields, with @jsonOutput*); @additionalFields:{@otherContent}; options:{@limitWaitTime `{"values":{"@limitType":"@afterTimeInterval","@resumeAmount":2,"@resumeUnit":"@minutes|@hours|@days"}}` or @atSpecifiedTime with @maxDateAndTime; @messageButtonLabel, @responseFormTitle, @responseFormDescription, @responseFormButtonLabel, @responseFormCustomCss}. One item: the first answer ends the wait. For two approvals two nodes',
	'channel.getAll, account.getAll': '@returnAll; @limit (50); @simplify (true)',
	'channel.create':
		'@name*; @channelType* `{"__rl":true,"mode":"name","value":"..."}`; @providerId* CH; @accountId* CH; @parametersMode @json (@form with @parametersForm is for the editor), @parameters (JSON); @simplify; @additionalFields:{@channelStatusId, @description, @feedbackChannelId CH}',
	'channel.updateParameters':
		'@channelId* CH; @parametersMode @json (not @form, @parametersForm), @parameters* (JSON, replaces all); @simplify',
	'account.create': '@name*; @simplify; @additionalFields:{@description, @organizationId}',
	'apiKey.getCurrent, apiKey.update, apiKey.delete':
		'@apiKeyId* (not getCurrent); update: @updateFields:{@name, @description}; delete: options:{@allowRevokingKeyInUse}',
	'outbox.get, outbox.cancel': '@channelId* CH; @entryId*; get: @simplify',
	'outbox.requeue':
		'@channelId* CH; @entryIds* (`id1,id2` or a list); leave @organizationId, @accountId empty',
	'service.request':
		'any endpoint of the service (its list of API keys or outbox entries, search of messages): @method @GET|@POST|@PUT|@PATCH|@DELETE; @path* `/api/...`; @queryParameters QUERY; @sendBody true with @body* (JSON); @splitItems (true)',
};

const OPTIONS =
	'- **options**, all: @keepToPlan, @maxConcurrency, @maxTries, @maxWait, @timeout (seconds). message: @ordering @recipient|@none. send, preview, reply, sendAndWait: @onceKey, @onceHistory, @pauseBetween (seconds), @whenUnknown @hold|@countAsSent|@sendAgain. preview: @showRequest. create: onceKey, onceHistory, whenUnknown. requeue, request: whenUnknown. getAll: @nameContains, @queryParameters QUERY. apiKey: @simplify. channel, getCurrent, update, outbox get, request: @includeToken';

const TRIGGER =
	'Polls channels, reports no messages. @events (default `["@channelConnected","@channelDisconnected"]`, **both**: set it for an alarm; also @channelStatusChanged, @channelCreated, @channelRemoved, @feedbackChannelChanged); @channelId, @accountId, @channelType (CH; empty: all); options:{@holdFor (polls), @firstPoll @remember|@report, @queryParameters QUERY}; `"pollTimes":{"item":[{"mode":"everyMinute"}]}`. Output: event, name, channelId, channelType, accountId, isConnected, status (may stay Active), before, after, since.';

/** What the names do not tell. */
const KNOW = [
	"- **onceKey:** one message for each key: `=due-{{ $json.id }}-{{ $now.toFormat('yyyy-MM') }}`. Each node remembers its own 2,000 keys (onceHistory). A key with an empty part is refused. Test runs count.",
	'- **Not possible:** cc, bcc (an item for each recipient: Split Out); subject, html, templates (otherContent, if the service documents them); files (a link in the text); sending later (Wait node; deliveryDeadline is when a message expires).',
	'\n## What comes out\n',
	"- send, reply: the service's answer (mostly messageId), always packageId, channelId, recipient. **The input's fields are gone:** use `$('Rows').item.json.x`. Key used before: `{alreadySent:true, onceKey, packageId, channelId}`, no messageId. Success means accepted by the service.",
	'- preview: `{wouldSend, recipient, text, reason, notes, onceKey}` for each item; refused: wouldSend false and a reason, no `error`. It sees no keys of earlier runs.',
	'- sendAndWait: `{data:{approved, respondedAt}}`; freeText `{data:{text}}`; customForm `{data:{<fieldName or label>}}`. Time over: the input, without data.respondedAt. If node: `={{ $json.data?.approved === true }}`.',
	'- channel getAll: channelId, name, channelType, provider, isConnected, status, accountId. edit, cancel, requeue: success:true; delete: deleted:true; create: the record, accountId or channelId first; with a used key `{alreadySent:true, onceKey}`.',
	'\n## Errors\n',
	'By default, one refused item means that nothing is sent, and a later failure stops the rest. For lists set on the node `"onError":"continueErrorOutput"` (failed items leave by output 1) or `"continueRegularOutput"`. A failed item keeps its input and has `error:{message, description, statusCode, outcome, retryable}`: write `{{ $json.error.message }}`. outcome rejected, unsent: not sent; **unknown: maybe sent**, tell a person, never resend it. retryable: whether the same item may be sent again later.',
];

/** The page. */
export function modelsText(): string {
	const ofOperations = Object.entries(OPERATIONS).map(([ids, text]) => {
		const named = operations.filter((each) => ids.split(', ').includes(idOf(each)));
		const title = named.map(({ resource, name }) => `${resource} ${name}`).join(', ');
		return `- **${title}**: ${checked(
			title,
			text,
			named.flatMap(({ fields }) => withoutSharedOptions(fields)),
		)}`;
	});
	const all = operations.flatMap(({ fields }) => fields);
	const shared = Object.entries(SHARED).map(([part, text]) => `${part} = ${withoutMarks(part, text, all)}`);
	const options = checked(
		'options',
		OPTIONS,
		sharedOptions.map(({ option }) => option),
	);
	const page = lines(
		...[...HEAD, ...shared, '\n## Operations\n', ...ofOperations, options],
		...[...KNOW, '\n## Trigger\n', checked('trigger', TRIGGER, triggerFields)],
	);
	const missing = operations
		.map(idOf)
		.filter((id) => !Object.keys(OPERATIONS).join(', ').split(', ').includes(id));
	if (missing.length > 0) throw new Error(`${modelsPage} lacks ${missing.join(', ')}`);
	if (page.length > MOST_CHARACTERS)
		throw new Error(`${modelsPage} has ${page.length} characters, more than ${MOST_CHARACTERS}`);
	return page;
}

function idOf({ resource, name }: Operation): string {
	return `${resource}.${name}`;
}

/** A text without its marks. Fails if a name of the fields is missing in it, or a marked name is none of theirs. */
function checked(title: string, text: string, fields: Properties): string {
	const parts = Object.entries(SHARED).flatMap(([part, names]) => (text.includes(part) ? [names] : []));
	const written = new Set(markedIn([text, ...parts].join(' ')));
	const missing = namesIn(fields).filter((name) => !written.has(name));
	if (missing.length > 0) throw new Error(`${modelsPage}, ${title}: ${missing.join(', ')} missing`);
	return withoutMarks(title, text, fields);
}

function withoutMarks(title: string, text: string, fields: Properties): string {
	const names = new Set(namesIn(fields));
	const gone = markedIn(text).filter((name) => !names.has(name));
	if (gone.length > 0) throw new Error(`${modelsPage}, ${title}: the node has no ${gone.join(', ')}`);
	return text.replace(MARK, '$1');
}

/** A name in the description of the node. */
const MARK = /@(\w+)/g;

const markedIn = (text: string): string[] => [...text.matchAll(MARK)].map(([, name = '']) => name);

/** The names in a description: of fields, members and groups, and the values of menus. */
function namesIn(fields: Properties): string[] {
	return fields.filter(isSeen).flatMap(({ name, options = [] }) => [
		// A collection is named where it has members of its own.
		...(name === 'options' ? [] : [name]),
		...options.flatMap((option) => {
			if ('type' in option) return namesIn([option]);
			return 'values' in option ? [option.name, ...namesIn(option.values)] : [String(option.value)];
		}),
	]);
}
