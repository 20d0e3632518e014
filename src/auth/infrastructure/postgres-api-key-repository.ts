import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { Batches } from '../../platform/concurrency/batcher.js';
import { Statements } from '../../platform/database/sql-client.js';
import {
  ApiKey,
  ApiKeys,
  type KeyHaste,
  type KeyPage,
  type KeyPageRequest,
  type ListedKey,
  type StoredKey,
} from '../domain/api-key.js';
import { KEY_PAGES, PRUNE_KEYS } from './api-keys.sql.js';
import { STORED_KEYS } from './stored-key.sql.js';

const GATHER_MS = 250;
const NOTE_USE = {
  name: 'api_key_note_use',
  text: `update api_keys set last_used_at = greatest(last_used_at, $2) where id = $1`,
};

@Injectable()
export class MikroApiKeys extends ApiKeys {
  private readonly shared = new Batches((ids: readonly string[]) => this.storedAll(ids));
  private readonly gathered = new Batches((ids: readonly string[]) => this.storedAll(ids), GATHER_MS);

  constructor(
    private readonly entities: EntityManager,
    private readonly statements: Statements,
  ) {
    super();
  }

  add(key: ApiKey): void {
    this.entities.persist(key);
  }

  find(id: string, accountId?: string): Promise<ApiKey | null> {
    return this.entities.findOne(ApiKey, accountId === undefined ? { id } : { id, accountId });
  }

  async countLive(accountId: string, now: Date): Promise<number> {
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
      this.statements.run<ListedKey>(statements.page, [accountId, perPage, (page - 1) * perPage]),
      this.statements.run<{ total: number }>(statements.count, [accountId]),
    ]);
    return { keys, total: counted?.total ?? 0 };
  }

  async prune(before: Date, limit: number): Promise<number> {
    return (await this.statements.run(PRUNE_KEYS, [before, limit])).length;
  }

  async stored(id: string, haste: KeyHaste): Promise<StoredKey | null> {
    if (haste === 'now') return (await this.storedAll([id]))[0] ?? null;
    return haste === 'shared' ? this.shared.ask(id) : this.gathered.ask(id);
  }

  async noteUse(id: string, at: Date): Promise<void> {
    await this.statements.run(NOTE_USE, [id, at]);
  }

  private async storedAll(ids: readonly string[]): Promise<(StoredKey | null)[]> {
    const rows = await this.statements.run<StoredKey>(STORED_KEYS, [[...new Set(ids)]]);
    const stored = new Map(rows.map((key) => [key.id, key]));
    return ids.map((id) => stored.get(id) ?? null);
  }
}
