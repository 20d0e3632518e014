import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Batcher } from '../../platform/concurrency/batcher.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import { sql } from '../../platform/database/sql.js';
import { ApiKey, type KeyPage, type KeyPageRequest, type ListedKey, type StoredKey } from '../domain/api-key.js';

/** @param which an SQL condition that selects some of the account's keys, or an empty text for all keys */
const rowsOf = (which: string) => `
  select id, name, scopes, created_at as "createdAt", expires_at as "expiresAt", last_used_at as "lastUsedAt",
    revoked_at as "revokedAt", issued_by as "issuedBy"
  from api_keys where account_id = $1 ${which} order by id limit $2 offset $3`;
const countOf = (which: string) => `select count(*)::int as total from api_keys where account_id = $1 ${which}`;
const UNREVOKED = 'and revoked_at is null';

export const KEY_PAGES = {
  unrevoked: {
    page: { name: 'api_keys_page', text: rowsOf(UNREVOKED) },
    count: { name: 'api_keys_count', text: countOf(UNREVOKED) },
  },
  all: {
    page: { name: 'api_keys_page_all', text: rowsOf('') },
    count: { name: 'api_keys_count_all', text: countOf('') },
  },
};

/**
 * Spares bootstrap keys: if a revoked bootstrap key were deleted, the next start with BOOTSTRAP_API_KEY would issue it
 * again.
 */
const PRUNE_KEYS = {
  name: 'api_keys_prune',
  text: `delete from api_keys where id = any(array(
           select id from api_keys
           where (revoked_at is not null or expires_at is not null) and least(revoked_at, expires_at) <= $1
             and issued_by <> 'bootstrap'
           order by least(revoked_at, expires_at) limit $2))
         returning id`,
};

export const STORED_KEYS = {
  name: 'api_keys_stored',
  text: `select k.id, k.account_id as "accountId", a.plan,
                a.suspended_at is not null as "isSuspended", k.digest, k.scopes, k.expires_at as "expiresAt",
                k.last_used_at as "lastUsedAt", k.revoked_at as "revokedAt"
         from api_keys k join accounts a on a.id = k.account_id where k.id = any($1)`,
};

const RECORD_USE = {
  name: 'api_key_record_use',
  text: `update api_keys set last_used_at = greatest(last_used_at, $2) where id = $1`,
};

@Injectable()
export class ApiKeyRepository {
  /**
   * Keys that arrive while a statement runs share the next statement, so a flood of guessed keys costs few statements.
   */
  private readonly stored = new Batcher((ids: readonly string[]) => this.readStored(ids));

  constructor(
    private readonly entities: EntityManager,
    private readonly sqlClient: SqlClient,
  ) {}

  add(key: ApiKey): void {
    this.entities.persist(key);
  }

  /** Must be called inside a unit of work. */
  find(id: string, accountId?: string): Promise<ApiKey | null> {
    return this.entities.findOne(ApiKey, accountId === undefined ? { id } : { id, accountId });
  }

  /** Must be called inside a unit of work. The lock keeps concurrent requests from exceeding the maximum of keys. */
  async countActive(accountId: string, now: Date): Promise<number> {
    await this.sqlClient.run(sql`select pg_advisory_xact_lock(hashtextextended(${`keys of ${accountId}`}, 0))`);
    const rows = await this.sqlClient.run<{ live: number }>(sql`
      select count(*)::int as live from api_keys where account_id = ${accountId} and revoked_at is null
        and (expires_at is null or expires_at > ${now.toISOString()}::timestamptz)`);
    return rows[0]?.live ?? 0;
  }

  async page(accountId: string, { page, perPage, withRevoked }: KeyPageRequest): Promise<KeyPage> {
    const statements = withRevoked ? KEY_PAGES.all : KEY_PAGES.unrevoked;
    const [keys, [counted]] = await Promise.all([
      this.sqlClient.run<ListedKey>(statements.page, [accountId, perPage, (page - 1) * perPage]),
      this.sqlClient.run<{ total: number }>(statements.count, [accountId]),
    ]);
    return { keys, total: counted?.total ?? 0 };
  }

  /** Deletes up to `limit` keys that were revoked or expired before the given time. @returns how many */
  async deleteEnded(before: Date, limit: number): Promise<number> {
    return (await this.sqlClient.run(PRUNE_KEYS, [before, limit])).length;
  }

  findStored(id: string): Promise<StoredKey | null> {
    return this.stored.submit(id);
  }

  async recordUse(id: string, at: Date): Promise<void> {
    await this.sqlClient.run(RECORD_USE, [id, at]);
  }

  private async readStored(ids: readonly string[]): Promise<(StoredKey | null)[]> {
    const rows = await this.sqlClient.run<StoredKey>(STORED_KEYS, [[...new Set(ids)]]);
    const stored = new Map(rows.map((key) => [key.id, key]));
    return ids.map((id) => stored.get(id) ?? null);
  }
}
