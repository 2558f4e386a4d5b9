/** Takes a turn, reports it, and never gives it back. */
import { takeTurn } from '../e2e/turns.ts';

await takeTurn();
process.send('has its turn');
