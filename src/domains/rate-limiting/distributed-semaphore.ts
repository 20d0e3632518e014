import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { SECOND } from '../../kernel/clock.js';
import { SqlClient } from '../../platform/database/sql-client.js';

/**
 * The lease outlasts any request: requests start in its first second only and take ten at most. So a request is over
 * before another process gets the slot, even if its holder crashed or lost the database.
 */
const LEASE_MS = 15 * SECOND;

/** NOT IN reads the slots that are taken once, and not once for each that an operator has. */
const ACQUIRE_SLOTS = {
  name: 'registry_slots_take',
  text: `
    insert into registry_slots as s (operator, slot, holder, until)
    select $1, free.slot, $4, now() + make_interval(secs => $5)
    from (
      select n.slot from generate_series(1, $2::int) n (slot)
      where n.slot not in (select h.slot from registry_slots h where h.operator = $1 and h.until > now())
      order by random()
      limit $3::int
    ) free
    on conflict (operator, slot) do update set holder = excluded.holder, until = excluded.until
      where s.until <= now()
    returning slot`,
};
const RELEASE_SLOTS = {
  name: 'registry_slots_release',
  text: `update registry_slots set until = '-infinity' where operator = $1 and holder = $2 and slot = any($3::smallint[])`,
};

/**
 * Limits how many requests all processes together send to an operator at a time: numbered slots, leased to processes
 * in PostgreSQL.
 */
@Injectable()
export class DistributedSemaphore {
  private readonly holder = randomUUID();

  constructor(private readonly statements: SqlClient) {}

  /** @returns the numbers of the slots acquired, empty when others hold all of them */
  async acquire(operator: string, concurrency: number, count: number): Promise<number[]> {
    const values = [operator, concurrency, count, this.holder, LEASE_MS / SECOND];
    return (await this.statements.run<{ slot: number }>(ACQUIRE_SLOTS, values)).map(({ slot }) => slot);
  }

  async release(operator: string, slots: readonly number[]): Promise<void> {
    await this.statements.run(RELEASE_SLOTS, [operator, this.holder, slots]);
  }
}
