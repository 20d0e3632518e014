// Breaks the rule: no such file is in the package.
import { LIMIT } from '../../src/notifications/limits.js';

export const limit = LIMIT;
