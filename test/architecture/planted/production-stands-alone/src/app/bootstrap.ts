// Breaks the rule: a test’s clock in the service.
import { stoppedClock } from '../../test/support/stopped-clock.js';

export const clock = stoppedClock;
