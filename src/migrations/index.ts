import { Migration20261218110000Baseline } from './migration-20261218110000-baseline.js';

/** All migrations, in the order in which they are applied. docs/database.md has the rules for a new migration. */
export const migrations = [{ name: 'Migration20261218110000Baseline', class: Migration20261218110000Baseline }];
