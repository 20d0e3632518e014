// Breaks the rule: an adapter asks no other module’s service.
import type { Account } from '../../auth/index.js';

export type Owner = Account;
