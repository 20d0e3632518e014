import { EntityManager } from '@mikro-orm/postgresql';

export const entries = EntityManager;
