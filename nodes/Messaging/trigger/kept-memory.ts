import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { valueAt } from '../shared/json';
import type { StoredMemory } from './memory';

/**
 * Where a trigger's memory is kept: in the workflow's static data, under the node's ID. n8n's own place for a node goes by
 * its name, so a trigger that is renamed would begin anew.
 */
export class KeptMemory {
	private readonly data: IDataObject;
	private readonly key: string;
	/** n8n's own place, where the memory was kept at first. */
	private readonly byName: IDataObject;

	constructor(context: IPollFunctions) {
		this.data = context.getWorkflowStaticData('global');
		this.byName = context.getWorkflowStaticData('node');
		this.key = `unifiedMessagingTrigger ${context.getNode().id}`;
	}

	/** What was kept at last; not checked. */
	get stored(): unknown {
		return this.data[this.key] ?? this.byName.memory;
	}

	/** Keeps a memory. Returns whether n8n needs to save it: what is known, or its place, has changed. */
	keep(memory: StoredMemory): boolean {
		const isNew = memory.channels !== valueAt(this.data[this.key], 'channels');
		this.data[this.key] = { ...memory };
		// Deleting what is not there would count as a change.
		if ('memory' in this.byName) delete this.byName.memory;
		return isNew;
	}
}
