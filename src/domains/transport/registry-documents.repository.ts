import { Injectable } from '@nestjs/common';
import { SqlClient } from '../../platform/database/sql-client.js';

/** The RDAP bootstrap list, the WHOIS server of a TLD, or the dates of one name from WHOIS. */
export interface RegistryDocument {
  readonly body: string;
  readonly fetchedAt: Date;
}

export type RegistryDocuments = Pick<RegistryDocumentStore, 'load' | 'save'>;

/** Stores nothing, for commands without a database. */
export const NO_DOCUMENTS: RegistryDocuments = { load: () => Promise.resolve(null), save: () => Promise.resolve() };

const LOAD = {
  name: 'registry_document_load',
  text: 'select body, fetched_at as "fetchedAt" from registry_documents where kind = $1',
};
/** Keeps the document that was fetched last, if two processes save a document at the same time. */
const SAVE = {
  name: 'registry_document_save',
  text: `insert into registry_documents (kind, body, fetched_at) values ($1, $2, $3)
    on conflict (kind) do update set body = excluded.body, fetched_at = excluded.fetched_at
    where registry_documents.fetched_at <= excluded.fetched_at`,
};
const FORGET_DATES = {
  name: 'registry_document_forget_dates',
  text: `delete from registry_documents where kind like 'whois-dates.%' and fetched_at < now() - interval '30 days'`,
};

/** Stores documents that all processes share, by kind. */
@Injectable()
export class RegistryDocumentStore {
  constructor(private readonly statements: SqlClient) {}

  async load(kind: string): Promise<RegistryDocument | null> {
    const [document] = await this.statements.run<RegistryDocument>(LOAD, [kind]);
    return document ?? null;
  }

  async save(kind: string, { body, fetchedAt }: RegistryDocument): Promise<void> {
    await this.statements.run(SAVE, [kind, body, fetchedAt]);
  }

  async forgetDates(): Promise<void> {
    await this.statements.run(FORGET_DATES);
  }
}
