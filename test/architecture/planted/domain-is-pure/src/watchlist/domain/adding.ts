// Breaks the rule: a domain does not know what is done with it.
import { added } from '../entries/watchlist.service.js';

export const adding = added;
