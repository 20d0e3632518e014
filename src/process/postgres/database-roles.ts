import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartupError } from '../startup-error.js';
import type { Cluster } from './cluster.js';
import { DATABASE } from './initialise-cluster.js';
import { replaceFile } from '../data-directory/secret-file.js';
import { runInSingleUserMode } from './single-user-mode.js';

/** Owns the tables and migrates. The role that serves is called as the database is. */
export const OWNER = 'namewatch_owner';

/** The superuser has no password: it is reached in single-user mode only, by the owner of the files. */
export interface RolePasswords {
  readonly serving: string;
  readonly owner: string;
}

/**
 * Sees to it that the database belongs to the owner's role and that the service connects as one that only reads and
 * writes. In clusters made before, `namewatch` is the superuser: that one is renamed, and what it owned is handed over.
 * No server runs on the cluster meanwhile. A crash in the middle is repeated by the next start.
 */
export async function separateRoles(cluster: Cluster, postgres: string, passwords: RolePasswords): Promise<void> {
  const statements = [separateRolesStatement(passwords)];
  const done = createHash('sha256').update(JSON.stringify(statements)).digest('hex');
  if (readMarker(cluster) === done) return;
  const complaint = await runInSingleUserMode(cluster, { postgres, database: DATABASE, statements });
  if (complaint !== null) throw new StartupError(`cannot separate the roles in ${cluster.path}: ${complaint}`);
  replaceFile(markerFile(cluster), done);
}

const markerFile = ({ path }: Cluster) => join(path, 'namewatch-roles');

function readMarker(cluster: Cluster): string | null {
  try {
    return readFileSync(markerFile(cluster), 'utf8').trim();
  } catch {
    return null; // an earlier version made the cluster
  }
}

/** The role that initdb made has this number whatever its name is; it cannot be anything less than a superuser. */
const SUPERUSER = 10;
const LIMITS = 'login nosuperuser nocreatedb nocreaterole noreplication nobypassrls';

/** One statement, so that it happens as a whole or not at all; on one line, as single-user mode reads it. */
function separateRolesStatement({ serving, owner }: RolePasswords): string {
  return `do $roles$
    declare statement text;
    begin
      if exists (select from pg_authid where oid = ${SUPERUSER} and rolname = '${DATABASE}') then
        create role namewatch_rename superuser;
        set session authorization namewatch_rename;
        alter role ${DATABASE} rename to postgres;
        set session authorization postgres;
        drop role namewatch_rename;
      end if;
      if to_regrole('${OWNER}') is null then create role ${OWNER}; end if;
      if to_regrole('${DATABASE}') is null then create role ${DATABASE}; end if;
      alter role postgres password null;
      alter role ${OWNER} ${LIMITS} password ${quoted(owner)};
      alter role ${DATABASE} ${LIMITS} password ${quoted(serving)};
      alter database ${DATABASE} owner to ${OWNER};
      revoke all on database ${DATABASE} from public;
      grant connect, temporary on database ${DATABASE} to ${DATABASE};
      for statement in ${OWNERSHIP_CHANGES} loop execute statement; end loop;
    end $roles$;`.replaceAll(/\s*\n\s*/g, ' ');
}

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

const IS_USER_SCHEMA = (namespace: string) =>
  `${namespace} not in (select oid from pg_namespace where nspname ~ '^pg_' or nspname = 'information_schema')`;
const NOT_OF_AN_EXTENSION = (catalogue: string, id: string) => `not exists (select from pg_depend
  where classid = '${catalogue}'::regclass and objid = ${id} and deptype = 'e')`;

/** What the superuser owns outside the system's schemas. Indexes, sequences of columns and row types follow tables. */
const OWNERSHIP_CHANGES = `
  select format('alter schema %I owner to ${OWNER}', nspname) from pg_namespace
   where nspowner = ${SUPERUSER} and ${IS_USER_SCHEMA('oid')}
  union all
  select format('alter %s %s owner to ${OWNER}', case relkind when 'S' then 'sequence' else 'table' end, c.oid::regclass)
    from pg_class c
   where relowner = ${SUPERUSER} and relkind in ('r', 'p', 'v', 'm', 'S') and ${IS_USER_SCHEMA('relnamespace')}
     and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid
                        and deptype in ('a', 'i', 'e') and (deptype = 'e' or relkind = 'S'))
  union all
  select format('alter routine %s owner to ${OWNER}', p.oid::regprocedure) from pg_proc p
   where proowner = ${SUPERUSER} and ${IS_USER_SCHEMA('pronamespace')} and ${NOT_OF_AN_EXTENSION('pg_proc', 'p.oid')}
  union all
  select format('alter type %s owner to ${OWNER}', t.oid::regtype) from pg_type t
   where typowner = ${SUPERUSER} and typtype in ('e', 'd') and ${IS_USER_SCHEMA('typnamespace')}
     and ${NOT_OF_AN_EXTENSION('pg_type', 't.oid')}`;
