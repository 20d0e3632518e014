import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';

/** Relays reject larger mails. */
const MAX_EVENTS = 1_000;

/**
 * Keeps the oldest deliveries in a locked digest and moves the rest to a new one that is due at once, with an id and
 * hence a Message-ID of its own. That one is split in turn.
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
