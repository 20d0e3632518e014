// Breaks the rule: a plan knows no domain name.
import type { DomainName } from '../../domains/language.js';

export type Covered = DomainName;
