// Breaks the rule: a lookup result belongs to no account.
import type { AccountId } from '../../auth/language.js';

export type LookupResult = AccountId;
