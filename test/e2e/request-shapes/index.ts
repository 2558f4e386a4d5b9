import { accounts } from './account.ts';
import { apiKeys } from './api-key.ts';
import { channels } from './channel.ts';
import { messages } from './message.ts';
import { outbox } from './outbox.ts';

/** All 18 shapes: 14 operations, both address modes, both input modes, requeue grouped and single. */
export const requestShapes = [...messages, ...channels, ...outbox, ...accounts, ...apiKeys];
