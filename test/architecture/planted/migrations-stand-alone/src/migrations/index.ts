import { Migration } from '@mikro-orm/migrations';
import { seed } from './watchlist.js';

export const migrations = [Migration, seed];
