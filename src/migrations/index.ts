import { Migration20261126120000Baseline } from './migration-20261126120000-baseline.js';

/** In the order in which they are applied; docs/database.md has the rules for a new one. */
export const migrations = [{ name: 'Migration20261126120000Baseline', class: Migration20261126120000Baseline }];
