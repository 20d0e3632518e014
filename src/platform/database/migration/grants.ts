import type pg from 'pg';

export const INSUFFICIENT_PRIVILEGE = '42501';

export async function currentUser(session: pg.Client): Promise<string> {
  const { rows } = await session.query<{ name: string }>('select current_user as name');
  return rows[0]?.name ?? '';
}

/** Checks that this session's user may read and write every table of Namewatch. Ignores tables of other owners. */
export async function canReadAndWrite(session: pg.Client): Promise<boolean> {
  const { rowCount } = await session.query(
    `select from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in (current_schema(), 'bullmq') and c.relkind in ('r', 'p', 'S')
        and c.relowner = (select relowner from pg_class where oid = to_regclass('mikro_orm_migrations'))
        and case c.relkind
          when 'S' then not (has_sequence_privilege(c.oid, 'usage') and has_sequence_privilege(c.oid, 'select'))
          else not (has_table_privilege(c.oid, 'select') and has_table_privilege(c.oid, 'insert')
                    and has_table_privilege(c.oid, 'update') and has_table_privilege(c.oid, 'delete')) end limit 1`,
  );
  return rowCount === 0;
}

/** Grants another user read and write access to the present and future tables of this session's user. */
export async function grantAccess(owner: pg.Client, user: string): Promise<void> {
  if (user === (await currentUser(owner))) return;
  const { rows } = await owner.query<{ statement: string }>(
    `select format('alter default privileges grant usage on schemas to %I', $1::text) as statement
     union all select format('alter default privileges grant select, insert, update, delete on tables to %I', $1::text)
     union all select format('alter default privileges grant usage, select on sequences to %I', $1::text)
     union all select format('grant usage on schema %I to %I', nspname, $1::text) from pg_namespace
       where nspname in (current_schema(), 'bullmq') and not has_schema_privilege($1, oid, 'usage')
     union all select format('grant %s %s to %I', case c.relkind when 'S' then 'usage, select on sequence'
         else 'select, insert, update, delete on table' end, c.oid::regclass, $1::text)
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname in (current_schema(), 'bullmq') and c.relkind in ('r', 'p', 'S')
         and pg_get_userbyid(c.relowner) = current_user`,
    [user],
  );
  for (const { statement } of rows) await owner.query(statement);
}
