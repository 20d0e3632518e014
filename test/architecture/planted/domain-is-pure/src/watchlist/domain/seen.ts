// Breaks the rule: a domain asks no service, not even for its type.
import type { CheckDomain } from '../../domains/index.js';

export type Seen = CheckDomain;
