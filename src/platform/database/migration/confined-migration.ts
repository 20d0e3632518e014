import type { Migration } from '@mikro-orm/migrations';
import type { MigrationEntry } from './migration-steps.js';

/**
 * Describes each table of the service, its queues and other extensions: columns, constraints, indexes, triggers, storage,
 * and how many rows this transaction has changed.
 */
const DEFINE_SNAPSHOT = `create or replace function pg_temp.snapshot_of_other_tables() returns jsonb language sql as $function$
  select coalesce(jsonb_object_agg(relname, state), '{}') from (
    select table_.relname, md5(concat_ws('|', table_.relfilenode, table_.relrowsecurity,
      (select string_agg(concat_ws(' ', attname, format_type(atttypid, atttypmod), attnotnull,
                                   pg_get_expr(adbin, adrelid)), ',' order by attnum)
         from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
        where attrelid = table_.oid and attnum > 0 and not attisdropped),
      (select string_agg(pg_get_constraintdef(oid), ',' order by oid) from pg_constraint
        where table_.oid in (conrelid, confrelid)),
      (select string_agg(pg_get_indexdef(indexrelid), ',' order by indexrelid) from pg_index
        where indrelid = table_.oid),
      (select string_agg(pg_get_triggerdef(oid), ',' order by oid) from pg_trigger
        where tgrelid = table_.oid and not tgisinternal),
      (select n_tup_ins + n_tup_upd + n_tup_del from pg_stat_xact_all_tables where relid = table_.oid))) as state
      from pg_class table_ join pg_namespace on pg_namespace.oid = relnamespace
     where relkind in ('r', 'p', 'v', 'm') and nspname in (current_schema(), 'bullmq')
       and not starts_with(relname, current_setting('namewatch.own_tables'))
       and not starts_with(relname, 'mikro_orm_migrations')) other
$function$`;

const TAKE_SNAPSHOT = `select set_config('namewatch.other_tables', pg_temp.snapshot_of_other_tables()::text, false)`;

const COMPARE_SNAPSHOTS = `do $$
  declare changed text;
  begin
    select string_agg(coalesce(old.key, new.key), ', ') into changed
      from jsonb_each_text(current_setting('namewatch.other_tables')::jsonb) old
      full join jsonb_each_text(pg_temp.snapshot_of_other_tables()) new on new.key = old.key
     where old.value is distinct from new.value;
    if changed is not null then
      raise exception 'it changes %: its own tables are named %… or are in a schema of its own',
        changed, current_setting('namewatch.own_tables');
    end if;
  end $$`;

/**
 * The same migration, which fails when it has changed, made, filled or dropped a table that is not its extension's. In its
 * transaction: nothing of it stays then.
 */
export function confineToOwnTables(extension: string, { name, class: Step }: MigrationEntry): MigrationEntry {
  const prefix = `${extension.replaceAll('-', '_')}_`;
  class ConfinedStep extends Step {
    override async up(): Promise<void> {
      await this.execute(`select set_config('namewatch.own_tables', ?, false)`, [prefix]);
      await this.execute(DEFINE_SNAPSHOT);
      await this.execute(TAKE_SNAPSHOT);
      await (Step.prototype as Migration).up.call(this); // abstract in the class that it names
      this.addSql(COMPARE_SNAPSHOTS);
    }
  }
  return { name, class: ConfinedStep };
}
