/** The 18 shapes of request that the node makes, each for two items, with what must go out and come back. */
import { accountShapes } from './account.ts';
import { apiKeyShapes } from './api-key.ts';
import { channelShapes } from './channel.ts';
import { messageShapes } from './message.ts';
import { outboxShapes } from './outbox.ts';
import { sendShapes } from './send.ts';
import type { Shape } from './shape.ts';

export type { ExpectedRequest, PreparedShape, Shape } from './shape.ts';

/** All shapes, grouped as the node's resources are. */
export const shapes: readonly Shape[] = [
	...sendShapes,
	...messageShapes,
	...channelShapes,
	...outboxShapes,
	...accountShapes,
	...apiKeyShapes,
];
