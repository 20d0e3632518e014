import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import type { AuditOrigin } from '../../auth/index.js';
import { SqlClient } from '../../platform/database/sql-client.js';

/** An import at work, as it is stored until its end is recorded. */
export interface StoredImport {
  readonly id: string;
  readonly accountId: string;
  /** The tag of a sync; null for an import that only adds. */
  readonly scopeTag: string | null;
  readonly origin: AuditOrigin;
}

export interface WrittenEntries {
  readonly created: number;
  readonly changed: number;
  readonly removed: number;
}

const TOUCH = {
  name: 'watchlist_imports_touch',
  text: 'update watchlist_imports set advanced_at = now() where id = $1',
};

interface Row extends WrittenEntries {
  readonly id: string;
  readonly account_id: string;
  readonly scope_tag: string | null;
  readonly origin: string;
}

/** What imports that have not ended wrote; in the transaction of the unit of work, unless it says otherwise. */
@Injectable()
export class ImportRunRepository {
  constructor(
    private readonly entities: EntityManager,
    private readonly statements: SqlClient,
  ) {}

  /** Adds to what is stored; an import that is not stored begins. */
  async add(run: StoredImport, { created, changed, removed }: WrittenEntries): Promise<void> {
    const { id, accountId, scopeTag, origin } = run;
    await sql`
      insert into watchlist_imports as i (id, account_id, scope_tag, origin, created, changed, removed)
      values (${id}, ${accountId}, ${scopeTag}, ${JSON.stringify(origin)}, ${created}, ${changed}, ${removed})
      on conflict (id) do update set created = i.created + excluded.created, changed = i.changed + excluded.changed,
        removed = i.removed + excluded.removed, advanced_at = now()`.execute(this.entities.getKysely());
  }

  /** Says that the import is at work; outside any transaction. */
  async touch(id: string): Promise<void> {
    await this.statements.run(TOUCH, [id]);
  }

  /** Deletes it. @returns what it wrote; null when another process recorded its end */
  async take(id: string): Promise<WrittenEntries | null> {
    const { rows } = await sql<WrittenEntries>`
      delete from watchlist_imports where id = ${id} returning created, changed, removed`.execute(
      this.entities.getKysely(),
    );
    return rows[0] ?? null;
  }

  /** The same for one that nothing was heard of for so long; null when there is none. */
  async takeAbandoned(seconds: number): Promise<(StoredImport & { readonly written: WrittenEntries }) | null> {
    const { rows } = await sql<Row>`
      delete from watchlist_imports where id = (
        select id from watchlist_imports where advanced_at < now() - make_interval(secs => ${seconds})
        order by advanced_at limit 1 for update skip locked)
      returning id, account_id, scope_tag, origin, created, changed, removed`.execute(this.entities.getKysely());
    const [row] = rows;
    if (!row) return null;
    const { id, account_id: accountId, scope_tag: scopeTag, origin, ...written } = row;
    return { id, accountId, scopeTag, origin: JSON.parse(origin) as StoredImport['origin'], written };
  }
}
