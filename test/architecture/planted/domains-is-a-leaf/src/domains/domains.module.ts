// Breaks the rule: facts do not depend on who watches.
import { watching } from '../watchlist/index.js';

export const watched = watching;
