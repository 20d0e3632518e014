import type { Watched } from './watched.js';

export type Seen = { by: Watched };
