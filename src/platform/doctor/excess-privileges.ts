import type pg from 'pg';

/** Privileges of this session's user that the service never needs; a fault in the service could use them. */
export async function findExcessPrivileges(session: pg.Client): Promise<string[]> {
  const { rows } = await session.query<{ excess: string }>(
    `select excess from pg_roles me, lateral (values
       (rolsuper, 'is a superuser'),
       (rolcreaterole, 'makes users'),
       (rolcreatedb, 'makes databases'),
       (rolreplication, 'replicates'),
       (rolbypassrls, 'passes row-level security'),
       (not rolsuper and pg_has_role('pg_read_server_files', 'usage'), 'reads files of the server'),
       (not rolsuper and pg_has_role('pg_write_server_files', 'usage'), 'writes files of the server'),
       (not rolsuper and pg_has_role('pg_execute_server_program', 'usage'), 'runs programs on the server'),
       (not rolsuper and exists (select from pg_class
          where oid = to_regclass('events') and pg_has_role(relowner, 'usage')), 'owns the tables')) as f (has, excess)
      where me.rolname = current_user and has`,
  );
  return rows.map(({ excess }) => excess);
}
