import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';

/** A mail with more names is one that relays refuse for its size. */
const MAX_EVENTS = 1_000;

/**
 * Leaves the oldest of what waits in a digest, which is locked, and puts the rest in another one that is due at once:
 * under an id of its own, hence a Message-ID of its own. That one is split in its turn.
 */
export function splitDigest(id: string): RawBuilder<unknown> {
  return sql`
    with rest as (
      select id from deliveries where digest_id = ${id} and state = 'pending'
      order by created_at, id offset ${MAX_EVENTS}),
    another as (
      insert into mail_digests (id, channel_id, due_at, failures)
      select ${randomUUID()}, channel_id, due_at, 0 from mail_digests
      where id = ${id} and exists (select from rest)
      returning id)
    update deliveries set digest_id = another.id from another, rest where deliveries.id = rest.id`;
}
