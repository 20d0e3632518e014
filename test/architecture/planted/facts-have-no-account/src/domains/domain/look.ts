// Breaks the rule: a look belongs to nobody.
import type { AccountId } from '../../auth/language.js';

export type Look = AccountId;
