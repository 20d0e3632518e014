import { CLAIM } from './leases.sql.js';

export const leases = CLAIM;
