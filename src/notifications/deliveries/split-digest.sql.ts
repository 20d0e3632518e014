import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { DigestTable } from './digest-tables.js';

/**
 * Keeps the urgent and oldest deliveries in a locked digest and moves the rest to a new one that is due at once, with an id and
 * hence a Message-ID of its own. That one is split in turn.
 */
export function splitDigest(id: string, { table, channelColumns, maxEvents }: DigestTable): RawBuilder<unknown> {
  return sql`
    with rest as (
      select id from deliveries where digest_id = ${id} and state = 'pending'
      order by urgent desc, created_at, id offset ${maxEvents}),
    another as (
      insert into ${table} (id, due_at, failures, ${channelColumns})
      select ${randomUUID()}, due_at, 0, ${channelColumns} from ${table}
      where id = ${id} and exists (select from rest)
      returning id)
    update deliveries set digest_id = another.id from another, rest where deliveries.id = rest.id`;
}
