// Breaks the rule: a job writes to the tables itself.
import { entries } from '../infrastructure/mikro-entries.js';

export const store = entries;
