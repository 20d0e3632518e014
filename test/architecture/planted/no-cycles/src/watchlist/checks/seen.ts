// Breaks the rule: by its types alone, outside a domain.
import type { Watched } from './watched.js';

export type Seen = { by: Watched };
