import type { Account } from '../../auth/index.js';
import type { DomainName } from '../../domains/language.js';
import { page } from '../../platform/page.js';
import { add } from '../application/add-entry.js';

export const post = (_account: Account, _name: DomainName) => [page, add];
