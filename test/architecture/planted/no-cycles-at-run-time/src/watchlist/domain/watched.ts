import type { Seen } from './seen.js';

export type Watched = { seen: Seen };
