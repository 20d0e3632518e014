// Breaks the rule: the port is known, not who fills it.
import { entries } from '../infrastructure/mikro-entries.js';

export const store = entries;
