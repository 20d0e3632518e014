// Breaks the rule: a service queries.
import { sql } from 'kysely';

export const due = sql;
