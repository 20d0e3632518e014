// Breaks the rule: a controller queries.
import type { EntityManager } from '@mikro-orm/postgresql';

export type Entries = EntityManager;
