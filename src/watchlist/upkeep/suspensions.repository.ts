import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { SqlClient } from '../../platform/database/sql-client.js';
import {
  type EntryToPause,
  type SuspendedAccount,
  type SuspendedEntry,
  SuspensionRepository,
} from './suspension-repository.js';

const SELECT_SUSPENDED = {
  name: 'suspended_accounts',
  text: `select id, suspended_at as "suspendedAt" from accounts
         where suspended_at is not null and deletion_started_at is null order by id`,
};
const SELECT_TO_PAUSE = {
  name: 'suspensions_to_pause',
  text: `select account_id as "accountId", id, domain from watch_entries
         where account_id = $1 and domain > $2 and not paused order by domain limit $3`,
};
const SELECT_TO_RESUME = {
  name: 'suspensions_to_resume',
  text: `select s.account_id as "accountId", s.entry_id as id
         from suspended_entries s join accounts a on a.id = s.account_id
         where a.suspended_at is null limit $1`,
};

@Injectable()
export class PostgresSuspensionRepository extends SuspensionRepository {
  constructor(
    private readonly entities: EntityManager,
    private readonly statements: SqlClient,
  ) {
    super();
  }

  findSuspendedAccounts(): Promise<readonly SuspendedAccount[]> {
    return this.statements.run<SuspendedAccount>(SELECT_SUSPENDED, []);
  }

  findToPause(accountId: string, afterDomain: string, limit: number): Promise<readonly EntryToPause[]> {
    return this.statements.run<EntryToPause>(SELECT_TO_PAUSE, [accountId, afterDomain, limit]);
  }

  findToResume(limit: number): Promise<readonly SuspendedEntry[]> {
    return this.statements.run<SuspendedEntry>(SELECT_TO_RESUME, [limit]);
  }

  async markPaused({ accountId, id }: SuspendedEntry): Promise<void> {
    await sql`
      insert into suspended_entries (entry_id, account_id) values (${id}, ${accountId})
      on conflict do nothing`.execute(this.entities.getKysely());
  }

  async clearMark({ id }: SuspendedEntry): Promise<void> {
    await sql`delete from suspended_entries where entry_id = ${id}`.execute(this.entities.getKysely());
  }
}
