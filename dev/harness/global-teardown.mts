import { tearDown } from './teardown-list.mts';

/** Stops what the global setup started, after the last test file. */
export default tearDown;
