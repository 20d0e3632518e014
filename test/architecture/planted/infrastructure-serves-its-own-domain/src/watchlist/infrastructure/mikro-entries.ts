// Breaks the rule: an adapter calls no use case.
import { add } from '../application/add-entry.js';

export const entries = add;
