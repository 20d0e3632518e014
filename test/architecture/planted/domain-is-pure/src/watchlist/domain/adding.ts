// Breaks the rule: a domain does not know what is done with it.
import { added } from '../application/watchlist.service.js';

export const adding = added;
