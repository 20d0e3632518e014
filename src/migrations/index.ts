import { Migration20261219070000Baseline } from './migration-20261219070000-baseline.js';

/** All migrations, in the order in which they are applied. docs/database.md has the rules for a new migration. */
export const migrations = [{ name: 'Migration20261219070000Baseline', class: Migration20261219070000Baseline }];
