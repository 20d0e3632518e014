import { Injectable } from '@nestjs/common';
import { SqlClient } from '../../platform/database/sql-client.js';

/** A document about registries (RDAP bootstrap, WHOIS referral) as it was fetched. */
export interface RegistryDocument {
  readonly body: string;
  readonly fetchedAt: Date;
}

/** Stores documents that all processes share, by kind. */
export abstract class RegistryDocumentStore {
  abstract load(kind: string): Promise<RegistryDocument | null>;
  abstract save(kind: string, document: RegistryDocument): Promise<void>;
}

/** Stores nothing, for commands without a database. */
export class NullDocumentStore extends RegistryDocumentStore {
  load() {
    return Promise.resolve(null);
  }

  save() {
    return Promise.resolve();
  }
}

const LOAD = {
  name: 'registry_document_load',
  text: 'select body, fetched_at as "fetchedAt" from registry_documents where kind = $1',
};
/** If two processes fetch at once, the later document stays. */
const SAVE = {
  name: 'registry_document_save',
  text: `insert into registry_documents (kind, body, fetched_at) values ($1, $2, $3)
    on conflict (kind) do update set body = excluded.body, fetched_at = excluded.fetched_at
    where registry_documents.fetched_at <= excluded.fetched_at`,
};

@Injectable()
export class PostgresRegistryDocumentStore extends RegistryDocumentStore {
  constructor(private readonly statements: SqlClient) {
    super();
  }

  async load(kind: string): Promise<RegistryDocument | null> {
    const [document] = await this.statements.run<RegistryDocument>(LOAD, [kind]);
    return document ?? null;
  }

  async save(kind: string, { body, fetchedAt }: RegistryDocument): Promise<void> {
    await this.statements.run(SAVE, [kind, body, fetchedAt]);
  }
}
