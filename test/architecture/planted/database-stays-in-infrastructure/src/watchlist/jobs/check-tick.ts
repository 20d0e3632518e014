// Breaks the rule: a tick queries.
import { sql } from 'kysely';

export const due = sql;
