import type { Account } from '../../auth/index.js';
import type { Watched } from '../../watchlist/language.js';

export type Channel = Account | Watched;
