// Breaks the rule: by its types alone, outside a domain.
import type { Seen } from './seen.js';

export type Watched = { seen: Seen };
