// Breaks the rule: what is stored depends on what a request may say.
import { MAX_TAGS } from './entries.dto.js';

export const entries = MAX_TAGS;
