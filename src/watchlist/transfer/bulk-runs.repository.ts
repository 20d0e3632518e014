import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import type { AuditAttributes, AuditOrigin } from '../../auth/index.js';
import { newId } from '../../kernel/identifier.js';
import { SqlClient } from '../../platform/database/sql-client.js';

/** What writes many entries. */
type BulkAction = 'watchlist.imported' | 'watchlist.changed_many' | 'watchlist.removed_many';

/** An import, a change or a removal at work, as it is stored until its end is recorded. */
export interface StoredRun {
  readonly id: string;
  readonly accountId: string;
  /** Recorded at the end. */
  readonly action: BulkAction;
  /** The id of that record. */
  readonly auditId: string;
  /** What the record says beside what was written: the tag of a sync, the filters of a change. */
  readonly about: AuditAttributes;
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
  readonly action: BulkAction;
  /** null: the version before started it. */
  readonly audit_id: string | null;
  readonly about: string;
  readonly origin: string;
}

/** What imports, changes and removals that have not ended wrote; in the transaction of the unit of work, unless it says otherwise. */
@Injectable()
export class BulkRunRepository {
  constructor(
    private readonly entities: EntityManager,
    private readonly statements: SqlClient,
  ) {}

  /** Adds to what is stored; one that is not stored begins. */
  async add(run: StoredRun, { created, changed, removed }: WrittenEntries): Promise<void> {
    const { id, accountId, action, auditId, about, origin } = run;
    await sql`
      insert into watchlist_imports as i (id, account_id, action, audit_id, about, origin, created, changed, removed)
      values (${id}, ${accountId}, ${action}, ${auditId}, ${JSON.stringify(about)}, ${JSON.stringify(origin)},
        ${created}, ${changed}, ${removed})
      on conflict (id) do update set created = i.created + excluded.created, changed = i.changed + excluded.changed,
        removed = i.removed + excluded.removed, advanced_at = now()`.execute(this.entities.getKysely());
  }

  /** Says that it is at work; outside any transaction. */
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
  async takeAbandoned(seconds: number): Promise<(StoredRun & { readonly written: WrittenEntries }) | null> {
    const { rows } = await sql<Row>`
      delete from watchlist_imports where id = (
        select id from watchlist_imports where advanced_at < now() - make_interval(secs => ${seconds})
        order by advanced_at limit 1 for update skip locked)
      returning id, account_id, action, audit_id, origin,
        coalesce(about, json_strip_nulls(json_build_object('scope_tag', scope_tag))::text) as about, created, changed, removed`.execute(
      this.entities.getKysely(),
    );
    const [row] = rows;
    if (!row) return null;
    const { id, account_id: accountId, action, audit_id, about, origin, ...written } = row;
    return {
      ...{ id, accountId, action, written },
      auditId: audit_id ?? newId('aud'),
      about: JSON.parse(about) as StoredRun['about'],
      origin: JSON.parse(origin) as StoredRun['origin'],
    };
  }
}
