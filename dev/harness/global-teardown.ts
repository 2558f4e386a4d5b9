import { tearDown } from './teardown-list.ts';

/** Stops what the global setup started, after the last test file. */
export default tearDown;
