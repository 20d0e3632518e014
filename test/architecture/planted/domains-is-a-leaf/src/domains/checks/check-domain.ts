// Breaks the rule: not even on the watchers’ words.
import type { Watched } from '../../watchlist/language.js';

export type Checked = Watched;
