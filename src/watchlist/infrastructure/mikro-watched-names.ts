import { LockMode } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import type { DomainName } from '../../domains/language.js';
import { Statements } from '../../platform/statements.js';
import { WatchedName, WatchedNames } from '../domain/watched-name.js';

const IS_WATCHED = {
  name: 'name_is_watched',
  text: `select 1 from watched_names where domain = $1 and next_check_at is not null`,
};

@Injectable()
export class MikroWatchedNames extends WatchedNames {
  constructor(
    private readonly entities: EntityManager,
    private readonly statements: Statements,
  ) {
    super();
  }

  async findOrStart(start: WatchedName): Promise<WatchedName> {
    // Somebody else may start the same name in this moment: the insert waits for them, and the row is there after.
    await sql`
      insert into watched_names (domain, interval_minutes, next_check_at)
      values (${start.domain}, ${start.intervalMinutes}, ${start.nextCheckAt})
      on conflict (domain) do nothing`.execute(this.entities.getKysely());
    const name = await this.find(start.name);
    if (!name) throw new Error(`${start.domain} was neither there nor could be added`);
    return name;
  }

  find(name: DomainName): Promise<WatchedName | null> {
    return this.entities.findOne(WatchedName, { domain: name.ascii }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  }

  async tightestInterval(name: DomainName, exceptEntry: string): Promise<number | null> {
    const found = await sql<{ tightest: number | null }>`
      select min(interval_minutes) as tightest from watch_entries
      where domain = ${name.ascii} and id <> ${exceptEntry}`.execute(this.entities.getKysely());
    return found.rows[0]?.tightest ?? null;
  }

  async isWatched(name: DomainName): Promise<boolean> {
    return (await this.statements.run(IS_WATCHED, [name.ascii])).length > 0;
  }
}
