import type { Account } from '../../auth/index.js';

export type Asking = Account;
