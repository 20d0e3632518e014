import { Injectable } from '@nestjs/common';
import { SqlClient } from '../../platform/database/sql-client.js';

const SLOTS_PER_ACCOUNT = 5;
/** Each open stream has a slot. A slot that is not renewed becomes free after this time. */
const SLOT_LEASE_SECONDS = 60;

const ACQUIRE = {
  name: 'stream_slot_acquire',
  text: `
    with gone as (delete from event_stream_slots where until <= now())
    insert into event_stream_slots (account_id, token, until)
    select $1, gen_random_uuid()::text, now() + make_interval(secs => $2)
    where (select count(*) from event_stream_slots where account_id = $1 and until > now()) < $3
    returning token`,
};
const RENEW = {
  name: 'stream_slot_renew',
  text: `update event_stream_slots set until = now() + make_interval(secs => $2) where token = $1`,
};
const RELEASE = { name: 'stream_slot_release', text: `delete from event_stream_slots where token = $1` };

/** Limits the event streams of each account over all processes. */
@Injectable()
export class StreamSlots {
  constructor(private readonly statements: SqlClient) {}

  /** @returns the token of the slot, or null if none is free */
  async acquire(accountId: string): Promise<string | null> {
    const lock = `streams of ${accountId}`;
    const [acquired] = await this.statements.runExclusive<{ token: string }>(lock, ACQUIRE, [
      accountId,
      SLOT_LEASE_SECONDS,
      SLOTS_PER_ACCOUNT,
    ]);
    return acquired?.token ?? null;
  }

  async renew(slot: string): Promise<void> {
    await this.statements.run(RENEW, [slot, SLOT_LEASE_SECONDS]);
  }

  async release(slot: string): Promise<void> {
    await this.statements.run(RELEASE, [slot]);
  }
}
