import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { Batcher } from '../../platform/concurrency/batcher.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import {
  ApiKey,
  ApiKeyRepository,
  type KeyLookupMode,
  type KeyPage,
  type KeyPageRequest,
  type ListedKey,
  type StoredKey,
} from '../domain/api-key.js';
import { KEY_PAGES, PRUNE_KEYS } from './api-keys.sql.js';
import { STORED_KEYS } from './stored-key.sql.js';

const DELAY_MS = 250;
const RECORD_USE = {
  name: 'api_key_note_use',
  text: `update api_keys set last_used_at = greatest(last_used_at, $2) where id = $1`,
};

@Injectable()
export class PostgresApiKeyRepository extends ApiKeyRepository {
  private readonly batched = new Batcher((ids: readonly string[]) => this.readStored(ids));
  private readonly delayed = new Batcher((ids: readonly string[]) => this.readStored(ids), { windowMs: DELAY_MS });

  constructor(
    private readonly entities: EntityManager,
    private readonly sqlClient: SqlClient,
  ) {
    super();
  }

  add(key: ApiKey): void {
    this.entities.persist(key);
  }

  find(id: string, accountId?: string): Promise<ApiKey | null> {
    return this.entities.findOne(ApiKey, accountId === undefined ? { id } : { id, accountId });
  }

  async countActive(accountId: string, now: Date): Promise<number> {
    const database = this.entities.getKysely();
    await sql`select pg_advisory_xact_lock(hashtextextended(${`keys of ${accountId}`}, 0))`.execute(database);
    const { rows } = await sql<{ live: number }>`
      select count(*)::int as live from api_keys where account_id = ${accountId} and revoked_at is null
        and (expires_at is null or expires_at > ${now.toISOString()}::timestamptz)`.execute(database);
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

  async deleteEnded(before: Date, limit: number): Promise<number> {
    return (await this.sqlClient.run(PRUNE_KEYS, [before, limit])).length;
  }

  async findStored(id: string, mode: KeyLookupMode): Promise<StoredKey | null> {
    if (mode === 'immediate') return (await this.readStored([id]))[0] ?? null;
    return mode === 'batched' ? this.batched.submit(id) : this.delayed.submit(id);
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
