// Breaks the rule: names come with the watchlist’s words.
import type { DomainName } from '../../domains/language.js';

export type Named = DomainName;
