// Breaks the rule: a repository instead of the mappings.
import { accounts } from '../auth/accounts/accounts.repository.js';
import { mappings } from '../auth/mappings.js';

export const orm = [accounts, mappings];
