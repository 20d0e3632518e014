import { EntitySchema } from '@mikro-orm/core';
import type { AccountId } from '../../auth/language.js';
import { statements } from '../../platform/statements.js';
import { start } from '../domain/watch-entry.js';

export const mapped = (id: AccountId) => [EntitySchema, statements, start, id];
