// Breaks the rule: a service has a statement.
import { CLAIM } from './leases.sql.js';

export const claim = CLAIM;
