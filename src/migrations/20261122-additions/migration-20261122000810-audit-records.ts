import { Migration } from '@mikro-orm/migrations';

/**
 * Who changed what, in the order of events. Records are never changed, and deleted by two functions only: those past the
 * retention, and those of an account that is being deleted. The functions run as the owner of the table; where the
 * service works as another user, nothing else that it does can change or delete a record.
 *
 * The foreign key is checked at the commit, since an account is written after the record of its creation.
 */
export class Migration20261122000810AuditRecords extends Migration {
  override up(): void {
    this.addSql(`create table audit_records (
      id text primary key,
      xid xid8 not null,
      seq bigint generated always as identity,
      occurred_at timestamptz(3) not null,
      account_id text references accounts (id) deferrable initially deferred,
      action text not null,
      actor_type text not null,
      actor_id text,
      actor_name text,
      target_id text,
      address text,
      request_id text,
      user_agent text,
      state_before text,
      state_after text)`);
    this.addSql(`create index audit_records_in_order on audit_records (xid, seq)`);
    this.addSql(`create index audit_records_of_account on audit_records (account_id, xid, seq)`);
    this.addSql(`create index audit_records_by_age on audit_records (occurred_at)`);
    this.addSql(`create index audit_records_refused on audit_records (occurred_at)
      where action = 'authentication.refused'`);
    this.addSql(`create function refuse_audit_change() returns trigger language plpgsql as $$
      begin
        if current_user <> (select pg_get_userbyid(relowner) from pg_class where oid = tg_relid) then
          raise insufficient_privilege using message = 'audit records are never changed';
        end if;
        return null;
      end $$`);
    this.addSql(`create trigger audit_records_append_only before update or delete on audit_records
      for each statement execute function refuse_audit_change()`);
    this.addSql(`create function purge_audit_records(before timestamptz, refused_before timestamptz, max_rows integer)
      returns integer language sql security definer set search_path from current as $$
        with purged as (
          delete from audit_records where id = any(array(
            (select id from audit_records where occurred_at < before order by occurred_at limit max_rows)
            union
            (select id from audit_records where occurred_at < refused_before and action = 'authentication.refused'
             order by occurred_at limit max_rows))) returning 1)
        select count(*)::integer from purged $$`);
    this.addSql(`create function delete_audit_records_of(account text, max_rows integer)
      returns integer language sql security definer set search_path from current as $$
        with deleted as (
          delete from audit_records where id = any(array(
            select r.id from audit_records r join accounts a on a.id = r.account_id
            where r.account_id = account and a.deletion_started_at is not null limit max_rows)) returning 1)
        select count(*)::integer from deleted $$`);
  }
}
