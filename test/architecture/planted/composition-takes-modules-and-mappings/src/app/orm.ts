// Breaks the rule: a repository instead of the mappings.
import { accounts } from '../auth/infrastructure/mikro-accounts.js';
import { mappings } from '../auth/infrastructure/mappings.js';

export const orm = [accounts, mappings];
