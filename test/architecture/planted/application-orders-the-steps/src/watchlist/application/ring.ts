// Breaks the rule: an edge calls the application, never the other way.
import { ring } from '../jobs/check-queue.js';

export const wake = ring;
