import { Injectable } from '@nestjs/common';
import { SqlClient } from '../../platform/database/sql-client.js';
import { sql } from '../../platform/database/sql.js';

/** When an address was made, and when a calendar last read from it. */
export interface CalendarAddress {
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

const OF_ACCOUNT = {
  name: 'calendar_address_of_account',
  text: `select created_at as "createdAt", last_used_at as "lastUsedAt" from calendar_addresses where account_id = $1`,
};
/** A suspended account has none. Notes the use about once a minute. */
const USE = {
  name: 'calendar_address_use',
  text: `with found as (
           select a.account_id, a.last_used_at from calendar_addresses a join accounts o on o.id = a.account_id
           where a.digest = $1 and o.suspended_at is null),
         noted as (
           update calendar_addresses a set last_used_at = $2 from found
           where a.digest = $1 and coalesce(found.last_used_at, '-infinity') < $2::timestamptz - interval '1 minute')
         select account_id as "accountId" from found`,
};

@Injectable()
export class CalendarAddressRepository {
  constructor(private readonly statements: SqlClient) {}

  /** null: the account has none. */
  async find(accountId: string): Promise<CalendarAddress | null> {
    const [address] = await this.statements.run<CalendarAddress>(OF_ACCOUNT, [accountId]);
    return address ?? null;
  }

  /** The account whose address has this secret, and notes that it was used; null: none, or one that is suspended. */
  async use(digest: string, at: Date): Promise<string | null> {
    const [found] = await this.statements.run<{ accountId: string }>(USE, [digest, at]);
    return found?.accountId ?? null;
  }

  /** Inside a unit of work. The former address ends. */
  async replace(accountId: string, digest: string, createdAt: Date): Promise<void> {
    await this.statements.run(sql`
      insert into calendar_addresses (account_id, digest, created_at) values (${accountId}, ${digest}, ${createdAt})
      on conflict (account_id) do update set digest = excluded.digest, created_at = excluded.created_at,
        last_used_at = null`);
  }

  /** Inside a unit of work. @returns false: there was none */
  async remove(accountId: string): Promise<boolean> {
    const rows = await this.statements.run(sql`
      delete from calendar_addresses where account_id = ${accountId} returning 1`);
    return rows.length > 0;
  }
}
