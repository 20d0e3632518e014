// Breaks the rule: auth counts no entries.
import { count } from '../../watchlist/index.js';

export const used = count;
