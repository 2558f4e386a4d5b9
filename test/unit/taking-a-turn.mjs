/** Takes a turn, says so, and keeps it. */
import { takeTurn } from '../e2e/turns.ts';

await takeTurn();
process.send('has its turn');
