// Breaks the rule: the event says it all.
import { entry } from '../../watchlist/index.js';

export const about = entry;
