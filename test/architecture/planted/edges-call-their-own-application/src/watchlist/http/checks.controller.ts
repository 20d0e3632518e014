// Breaks the rule: a controller calls another module’s service.
import type { CheckDomain } from '../../domains/index.js';

export type Checks = CheckDomain;
