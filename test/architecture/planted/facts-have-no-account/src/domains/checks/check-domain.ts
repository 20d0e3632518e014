// Breaks the rule: a check answers everybody alike.
import { authenticate } from '../../auth/index.js';

export const check = authenticate;
