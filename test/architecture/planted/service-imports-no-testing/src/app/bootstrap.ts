// Breaks the rule: the service on the clock of a test.
import { MovableClock } from '../testing/movable-clock.js';

export const clock = new MovableClock();
