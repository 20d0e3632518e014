import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Statements } from '../../platform/statements.js';
import { ApiKey, ApiKeys, type StoredKey } from '../domain/api-key.js';
import { STORED_KEYS } from './stored-key.js';

const NOTE_USE = {
  name: 'api_key_note_use',
  text: `update api_keys set last_used_at = greatest(last_used_at, $2) where id = $1`,
};

@Injectable()
export class MikroApiKeys extends ApiKeys {
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

  ofAccount(accountId: string): Promise<ApiKey[]> {
    return this.entities.find(ApiKey, { accountId }, { orderBy: { id: 'asc' } });
  }

  stored(ids: readonly string[]): Promise<StoredKey[]> {
    return this.statements.run<StoredKey>(STORED_KEYS, [ids]);
  }

  async noteUse(id: string, at: Date): Promise<void> {
    await this.statements.run(NOTE_USE, [id, at]);
  }
}
