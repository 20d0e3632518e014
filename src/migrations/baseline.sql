-- The database of Namewatch 1.0, in the order in which one reads it: accounts, names and their watchers, lookups and
-- registries, events and their deliveries, and what processes share. docs/database.md says how it is changed.
--
-- Times of the service's clock are timestamptz(3); times of the database's own clock, such as the ends of leases, are
-- timestamptz. A foreign key is deferred where the ORM writes both rows in any order within one transaction.


-- Accounts -----------------------------------------------------------------------------------------------------------

create table accounts (
  id text primary key,
  name text not null,
  plan text not null,
  created_at timestamptz(3) not null,
  suspended_at timestamptz(3),
  deletion_started_at timestamptz(3),
  deletion_advanced_at timestamptz
);
comment on table accounts is
  'Who watches. A deletion that has begun and makes no progress is finished by another process.';
create index accounts_being_deleted on accounts (id) where deletion_started_at is not null;

create table api_keys (
  id text primary key,
  account_id text not null references accounts (id) deferrable initially deferred,
  name text not null,
  digest text not null,
  scopes text[] not null,
  issued_by text not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3)
);
comment on table api_keys is 'Keys of accounts, by a digest of their text.';
create index api_keys_of_account on api_keys (account_id, id);
create index api_keys_unrevoked on api_keys (account_id, id) where revoked_at is null;
create index api_keys_ended on api_keys (least(revoked_at, expires_at))
  where revoked_at is not null or expires_at is not null;

-- The foreign key is deferred, since an account is written after the record of its creation.
create table audit_records (
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
  client_request_id text,
  user_agent text,
  state_before text,
  state_after text
);
comment on table audit_records is
  'Who did what, when and from where, in the order of transactions. Only the two functions below delete any; '
  'none is ever changed.';
create index audit_records_in_order on audit_records (xid, seq);
create index audit_records_of_account on audit_records (account_id, xid, seq);
create index audit_records_by_age on audit_records (occurred_at);
create index audit_records_refused on audit_records (occurred_at) where action = 'authentication.refused';

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if current_user <> (select pg_get_userbyid(relowner) from pg_class where oid = tg_relid) then
    raise insufficient_privilege using message = 'audit records are never changed';
  end if;
  return null;
end $$;
create trigger audit_records_append_only before update or delete on audit_records
  for each statement execute function refuse_audit_change();

-- These run as the owner of the table: where the service works as another user, nothing else that it does can delete.
create function purge_audit_records(before timestamptz, refused_before timestamptz, max_rows integer)
returns integer language sql security definer set search_path from current as $$
  with purged as (
    delete from audit_records where id = any(array(
      (select id from audit_records where occurred_at < before order by occurred_at limit max_rows)
      union
      (select id from audit_records where occurred_at < refused_before and action = 'authentication.refused'
       order by occurred_at limit max_rows))) returning 1)
  select count(*)::integer from purged
$$;
create function delete_audit_records_of(account text, max_rows integer)
returns integer language sql security definer set search_path from current as $$
  with deleted as (
    delete from audit_records where id = any(array(
      select r.id from audit_records r join accounts a on a.id = r.account_id
      where r.account_id = account and a.deletion_started_at is not null limit max_rows)) returning 1)
  select count(*)::integer from deleted
$$;


-- Watched names ------------------------------------------------------------------------------------------------------

-- Each check leaves a dead row and an entry in each index behind, which claims read until a vacuum: it comes when 2 % of
-- the rows are dead and not 20 %, which of ten million names are millions.
create table watched_names (
  domain text primary key,
  revision integer not null default 0,
  operator text not null default '',
  urgency smallint not null default 2,
  interval_minutes integer not null,
  next_check_at timestamptz(3),
  facts text,
  source text,
  facts_since timestamptz(3),
  facts_confirmed_at timestamptz(3),
  pending text,
  record_state text,
  last_transition text,
  last_checked_at timestamptz(3),
  failures integer not null default 0,
  failing_since timestamptz(3),
  failure_code text
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.1);
comment on table watched_names is
  'What all entries of a name share: confirmed facts, a change that waits for its confirmation, and when the name is '
  'checked next. null in next_check_at: nobody watches it. The revision orders writes.';
-- A claim walks the operators, and within each the urgencies: both read this index alone.
create index watched_names_due on watched_names (operator, urgency, next_check_at, domain)
  where next_check_at is not null;
create index watched_names_resting on watched_names (last_checked_at) where next_check_at is null;
create index watched_names_by_answer on watched_names (last_checked_at, domain);

create table name_evidence (
  domain text primary key references watched_names (domain) on delete cascade deferrable initially deferred,
  evidence text not null
);
comment on table name_evidence is 'What the facts of a name rest on, as JSON. Apart, since checks never read it.';

create table registration_records (
  domain text not null references watched_names (domain) on delete cascade deferrable initially deferred,
  kind text not null,
  value text not null,
  first_seen_at timestamptz(3) not null,
  last_seen_at timestamptz(3),
  confirmed_at timestamptz(3) not null,
  previous text,
  previous_seen_at timestamptz(3),
  evidence text,
  primary key (domain, kind, first_seen_at)
);
comment on table registration_records is
  'What registries say beside the facts, as JSON: for each kind its value and those before. previous is set where a '
  'value followed another one of the same registration, which is what watchers are notified of.';
create index registration_records_ended on registration_records (last_seen_at) where last_seen_at is not null;

-- Unlogged: its holder writes nothing after a crash of the database, and the name is checked again. Half of each page
-- is free, so that a lease is renewed in place.
create unlogged table check_leases (
  domain text primary key,
  operator text not null default '',
  token uuid not null,
  until timestamptz not null,
  starts smallint not null default 0
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
comment on table check_leases is
  'The right of one worker to check a name until a time, and how often a check of it was started and not finished. '
  'Not columns of the name: a claim would rewrite that wide row.';

create unlogged table first_check_traces (
  domain text primary key,
  traceparent text not null,
  created_at timestamptz(3) not null default now()
);
comment on table first_check_traces is
  'The trace of the request that added a name, until its first check. Empty while nothing is traced.';


-- Entries of the watchlists --------------------------------------------------------------------------------------------

create table watch_entries (
  id text primary key,
  account_id text not null references accounts (id) deferrable initially deferred,
  domain text not null references watched_names (domain) deferrable initially deferred,
  intent text not null,
  interval_minutes integer not null,
  required_interval_minutes integer not null,
  expiring_window_days integer not null,
  remind_days text,
  renewal text,
  expected text,
  tags text[] not null,
  note text,
  paused boolean not null,
  status text not null,
  phase text not null,
  change_seq integer not null,
  has_confirmed_facts boolean not null,
  known_registered_at timestamptz(3),
  known_expires_at timestamptz(3),
  boundary_at timestamptz(3),
  last_reminder text,
  failure_notified boolean not null default false,
  history_frozen boolean not null default false,
  expires_at timestamptz(3),
  answered boolean not null default false,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint one_entry_per_account_and_domain unique (account_id, domain)
);
comment on table watch_entries is
  'One account watches one name: what it asked for, and what it was last notified of. expires_at and answered are '
  'copies of the name''s, which triggers keep, because lists are sorted by them.';
create index watch_entries_of_name on watch_entries (domain, id);
-- A routine check reads the entries that are due, not all entries of the name.
create index watch_entries_boundary on watch_entries (domain, boundary_at) where not paused;
-- One for each order in which a list can be asked for, and for its filters.
create index watch_entries_newest on watch_entries (account_id, created_at desc, id desc);
create index watch_entries_newest_by_status on watch_entries (account_id, status, created_at desc, id desc);
create index watch_entries_by_status on watch_entries (account_id, status, id);
create index watch_entries_by_expiry on watch_entries (account_id, expires_at nulls first, id);
create index watch_entries_by_status_and_expiry on watch_entries (account_id, status, expires_at nulls first, id);
create index watch_entries_by_answer on watch_entries (account_id, answered, id);
create index watch_entries_by_tag on watch_entries using gin (tags);

create function set_entry_sort_keys() returns trigger language plpgsql as $$
begin
  select (n.facts::jsonb ->> 'expiresAt')::timestamptz, n.last_checked_at is not null
    into new.expires_at, new.answered from watched_names n where n.domain = new.domain;
  new.answered := coalesce(new.answered, false);
  return new;
end $$;
create trigger set_entry_sort_keys before insert on watch_entries
  for each row execute function set_entry_sort_keys();

-- Only where they changed: a routine check writes one row.
create function update_entry_sort_keys() returns trigger language plpgsql as $$
declare
  expiry timestamptz(3) := (new.facts::jsonb ->> 'expiresAt')::timestamptz;
  has_answer boolean := new.last_checked_at is not null;
begin
  update watch_entries set expires_at = expiry, answered = has_answer
  where domain = new.domain and (expires_at is distinct from expiry or answered <> has_answer);
  return null;
end $$;
create trigger update_entry_sort_keys after update of facts, last_checked_at on watched_names
  for each row when (
    old.facts is distinct from new.facts or (old.last_checked_at is null) <> (new.last_checked_at is null))
  execute function update_entry_sort_keys();

create table entry_counts (
  account_id text primary key,
  entries integer not null
) with (fillfactor = 50);
comment on table entry_counts is
  'How many entries each account has, kept by triggers: a page and an addition would else count all of them.';

create function count_entries() returns trigger language plpgsql as $$
begin
  insert into entry_counts as c (account_id, entries)
  select account_id, case tg_op when 'INSERT' then count(*) else -count(*) end
  from changed group by account_id order by account_id
  on conflict (account_id) do update set entries = c.entries + excluded.entries;
  return null;
end $$;
create trigger count_added_entries after insert on watch_entries
  referencing new table as changed for each statement execute function count_entries();
create trigger count_removed_entries after delete on watch_entries
  referencing old table as changed for each statement execute function count_entries();

create function clear_entry_counts() returns trigger language plpgsql as $$
begin
  delete from entry_counts;
  return null;
end $$;
create trigger clear_entry_counts after truncate on watch_entries
  for each statement execute function clear_entry_counts();

create table watch_history (
  entry_id text not null references watch_entries (id) on delete cascade deferrable initially deferred,
  change_seq integer not null,
  status text not null,
  phase text not null,
  move text,
  first_seen_at timestamptz(3) not null,
  last_seen_at timestamptz(3),
  expires_at timestamptz(3),
  evidence text not null,
  primary key (entry_id, change_seq)
);
comment on table watch_history is 'The statuses and phases of an entry, with their evidence; null in last_seen_at: now.';
create index watch_history_ended on watch_history (last_seen_at) where last_seen_at is not null;

create table suspended_entries (
  entry_id text primary key references watch_entries (id) on delete cascade deferrable initially deferred,
  account_id text not null
);
comment on table suspended_entries is
  'Entries that the suspension of their account paused, to be resumed with it: what was paused before stays paused.';
create index suspended_entries_of_account on suspended_entries (account_id);

create table removed_entries (
  id text primary key,
  account_id text not null references accounts (id) deferrable initially deferred,
  domain text not null,
  added_at timestamptz(3) not null,
  removed_at timestamptz(3) not null,
  request_id text
);
comment on table removed_entries is
  'Entries that were removed, for as long as the account''s plan keeps their history. Apart, so that the watchlist '
  'holds no row that no check needs.';
create index removed_entries_of_account on removed_entries (account_id, removed_at, id);
create index removed_entries_of_name on removed_entries (account_id, domain, removed_at, id);
create index removed_entries_by_age on removed_entries (removed_at, id);

create table removed_history (
  entry_id text not null references removed_entries (id) on delete cascade,
  change_seq integer not null,
  status text not null,
  phase text not null,
  move text,
  first_seen_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  expires_at timestamptz(3),
  evidence text not null,
  primary key (entry_id, change_seq)
);
comment on table removed_history is 'The history of removed entries.';
create index removed_history_ended on removed_history (last_seen_at);

create table watchlist_imports (
  id uuid primary key,
  account_id text not null references accounts (id) on delete cascade,
  scope_tag text,
  origin text not null,
  created integer not null default 0,
  changed integer not null default 0,
  removed integer not null default 0,
  advanced_at timestamptz not null default now()
);
comment on table watchlist_imports is
  'Imports at work and what their transactions wrote so far, until the end of the import is recorded: the audit '
  'record of an import whose process died says so too.';
create index watchlist_imports_of_account on watchlist_imports (account_id);

create table plan_minimums (
  account_id text primary key references accounts (id) on delete cascade deferrable initially deferred,
  minutes integer not null,
  applied_at timestamptz not null
);
comment on table plan_minimums is
  'The plan''s minimum interval that was last applied to all entries of an account. Where the plan has another, it is '
  'applied again.';


-- Drops and changes of many names --------------------------------------------------------------------------------------

create table operator_drops (
  operator text not null,
  at timestamptz(3) not null,
  drops integer not null,
  primary key (operator, at)
);
comment on table operator_drops is 'Drops of each registry operator over time, by which sudden ones are noticed.';

create table drop_brakes (
  operator text not null,
  tld text not null,
  held_since timestamptz(3),
  cleared_at timestamptz(3),
  primary key (operator, tld)
);
comment on table drop_brakes is 'The TLDs whose drops are held until canaries pass.';

create table change_windows (
  id text primary key,
  account_id text not null references accounts (id) on delete cascade,
  kind text not null,
  after jsonb not null,
  intent text not null,
  tags text[] not null,
  started_at timestamptz(3) not null,
  sent text[] not null,
  held integer not null,
  continues boolean not null
);
comment on table change_windows is
  'Names of an account with the same change of their registration records in an hour: the first are sent by '
  'themselves, the others are held for one message.';
create index change_windows_of_account on change_windows (account_id);
create index change_windows_holding on change_windows (started_at) where held > 0;
create index change_windows_holding_nothing on change_windows (started_at) where held = 0;

create table held_changes (
  window_id text not null references change_windows (id) on delete cascade,
  domain text not null,
  primary key (window_id, domain)
);
comment on table held_changes is 'The names that a window holds.';

create table drop_lists (
  name text primary key,
  next_fetch_at timestamptz(3) not null,
  etag text,
  last_modified text,
  applied_at timestamptz(3),
  size integer not null default 0
);
comment on table drop_lists is 'The official drop lists that are read.';

create table drop_listings (
  domain text primary key,
  list text not null,
  drop_at timestamptz(3) not null,
  listed_at timestamptz(3) not null,
  window_began boolean not null default false
);
comment on table drop_listings is 'The watched names on drop lists: a hint when to check, never a status.';
create index drop_listings_by_list on drop_listings (list, drop_at);


-- Lookups and registries -----------------------------------------------------------------------------------------------

-- Unlogged: after a crash of the database it is empty, and the registries are asked again.
create sequence lookup_lease_ids cache 1;
create unlogged table lookups (
  domain text primary key,
  lease_id bigint,
  leased_until timestamptz,
  published_lease_id bigint,
  published_at timestamptz,
  failure text,
  facts text,
  observation text,
  observed_at timestamptz(3),
  fresh_until timestamptz(3),
  delegated_at timestamptz(3),
  changed_at timestamptz
) with (fillfactor = 70);
comment on table lookups is
  'The last lookup of a name and the one that is running, shared by all processes. published_lease_id: the lease whose '
  'result was published last. delegated_at: when DNS delegated a name that its registry had no record of; a check '
  'keeps that veto while DNS gives no answer.';
create index lookups_changed on lookups (changed_at) where changed_at is not null;

create table registry_operators (
  operator text primary key,
  blocked_until timestamptz,
  breaker_open_since timestamptz,
  retry_at timestamptz,
  openings integer not null default 0,
  probe_until timestamptz
);
comment on table registry_operators is
  'The operators that are not asked now: one that requested a pause, or whose circuit breaker is open.';

-- Unlogged: a crash of the database fills all buckets, which costs a registry one burst.
create unlogged table registry_tokens (
  operator text primary key,
  full_at double precision not null,
  free integer not null
) with (fillfactor = 50);
comment on table registry_tokens is
  'The token bucket of each operator: when it is full again, in milliseconds since 1970, and what was free before the '
  'last request.';

create table registry_slots (
  operator text not null,
  slot smallint not null,
  holder uuid not null,
  until timestamptz not null,
  primary key (operator, slot)
) with (fillfactor = 50);
comment on table registry_slots is 'Concurrent queries of each operator; an expired slot is free.';

create table registry_canaries (
  tld text not null,
  observed_at timestamptz not null,
  passed boolean not null,
  registered jsonb not null,
  unregistered jsonb not null,
  primary key (tld, observed_at)
);
comment on table registry_canaries is 'What registries said about names whose answer is known, for a week.';

create table registry_documents (
  kind text primary key,
  body text not null,
  fetched_at timestamptz(3) not null
);
comment on table registry_documents is 'The last copy of lists that are published, such as the RDAP bootstrap file.';

create table operator_loads (
  operator text primary key,
  delay_minutes double precision not null,
  measured_at timestamptz not null
);
comment on table operator_loads is
  'How much later than planned the checks of each operator run, since its rate limit allows no more.';


-- Events ---------------------------------------------------------------------------------------------------------------

-- A reader that pages by (xid, seq) below its snapshot's xmin never skips a row that commits late.
create table events (
  id text primary key,
  seq bigint generated always as identity,
  xid xid8 not null default pg_current_xact_id(),
  account_id text not null references accounts (id),
  type text not null,
  entry_id text,
  body text not null,
  traceparent text,
  created_at timestamptz(3) not null
);
comment on table events is
  'What happened, never changed, in the order of transactions. traceparent: the trace that it came from, or null.';
create index events_of_account on events (account_id, xid, seq);
create index events_of_entry on events (entry_id) where entry_id is not null;
create index events_by_age on events (created_at);
create index events_by_xid on events (xid);

create table event_feed_starts (
  account_id text primary key references accounts (id),
  xid xid8 not null,
  seq bigint not null
);
comment on table event_feed_starts is
  'The last event of an account that is no longer kept: a cursor before it has missed something.';

create table transaction_offset (ahead bigint not null);
comment on table transaction_offset is
  'One row. A database that a dump was restored into numbers transactions from the start: by how much the numbers of '
  'its events and audit records are ahead.';
insert into transaction_offset values (0);

create table event_stream_slots (
  account_id text not null,
  token text primary key,
  until timestamptz not null
);
comment on table event_stream_slots is 'Open event streams, whose number is limited for each account.';
create index event_stream_slots_of_account on event_stream_slots (account_id);


-- Channels and deliveries ----------------------------------------------------------------------------------------------

create table notification_channels (
  id text primary key,
  account_id text not null references accounts (id),
  type text not null,
  target text not null,
  canonical_target text not null,
  host text not null,
  sealed_target text,
  sealed_credential text,
  sealed_secret text,
  older_secrets jsonb not null default '[]',
  headers jsonb not null default '{}',
  event_types text[] not null,
  tags text[] not null,
  active boolean not null,
  reason text,
  reason_detail text check (reason_detail is null or reason = 'gone'),
  disabled_at timestamptz(3),
  first_failure_at timestamptz(3),
  confirmed_at timestamptz(3),
  created_at timestamptz(3) not null,
  constraint one_channel_per_target unique (account_id, type, canonical_target)
);
comment on table notification_channels is
  'Where an account wants its events. Secrets, older secrets and the values of headers are sealed with the master key; '
  'canonical_target is a keyed hash where the target is secret.';
-- Read every minute, with hardly any rows.
create index notification_channels_without_relay on notification_channels (id) where reason = 'mail_not_configured';

-- Deliveries that are inserted together are attempted together: a page needs room for a second version of all of its
-- rows. A queue's rows die young: left to the default fifth, claims would read past the dead.
create table deliveries (
  id text primary key,
  event_id text not null references events (id) on delete cascade,
  channel_id text not null references notification_channels (id) on delete cascade,
  host text not null,
  urgent boolean not null default false,
  state text not null check (state in ('pending', 'delivered', 'failed', 'paused', 'disabled')),
  attempts integer not null default 0,
  failures integer not null default 0,
  next_attempt_at timestamptz(3),
  digest_id text,
  created_at timestamptz(3) not null,
  constraint one_delivery_per_channel unique (event_id, channel_id),
  constraint pending_is_due check ((state = 'pending') = (next_attempt_at is not null))
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
comment on table deliveries is
  'One event for one channel. Claimed by host and channel, so that slow receivers delay only each other.';
-- The first that are due, in their order with host and channel: a plain index made PostgreSQL, which expects next to
-- nothing to wait, sort a whole backlog with every claim.
create index deliveries_next on deliveries (next_attempt_at, host, channel_id)
  where state = 'pending' and digest_id is null;
create index deliveries_claimable on deliveries (host, channel_id, next_attempt_at)
  where state = 'pending' and digest_id is null;
create index deliveries_of_channel on deliveries (channel_id, created_at desc, id desc);
create index deliveries_of_digest on deliveries (digest_id) where digest_id is not null;

create table delivery_attempts (
  delivery_id text not null references deliveries (id) on delete cascade,
  number integer not null,
  started_at timestamptz(3) not null,
  duration_ms integer,
  outcome text,
  response_status integer,
  response_excerpt text,
  primary key (delivery_id, number)
) with (fillfactor = 45); -- the end of an attempt makes its row longer
comment on table delivery_attempts is 'Tries to send a delivery, stored before they are made. null outcome: not over.';

create table delivery_leases (
  delivery_id text primary key references deliveries (id) on delete cascade,
  token text not null,
  until timestamptz not null,
  host text not null,
  channel_id text not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
comment on table delivery_leases is
  'The right of one worker to attempt a delivery until a time. On the delivery, every claim would rewrite its indexes.';

create table delivery_replays (
  id uuid primary key,
  channel_id text not null references notification_channels (id) on delete cascade,
  range_from timestamptz(3) not null,
  range_to timestamptz(3) not null,
  requested_at timestamptz(3) not null,
  last_created_at timestamptz(3) not null,
  last_id text not null,
  advanced_at timestamptz not null default now()
);
comment on table delivery_replays is
  'Ranges of deliveries that are being sent again, and the last one that was: what a process that died left undone, '
  'another one does.';
create index delivery_replays_of_channel on delivery_replays (channel_id);

create table suspended_deliveries (
  delivery_id text primary key references deliveries (id) on delete cascade,
  account_id text not null
);
comment on table suspended_deliveries is 'Deliveries that the suspension of their account paused, to be resumed with it.';
create index suspended_deliveries_of_account on suspended_deliveries (account_id);


-- Mail, quotas and digests ---------------------------------------------------------------------------------------------
-- None of these refers to a channel by a foreign key: a writer here holds deliveries already, and would wait for a
-- channel's row behind a deletion that waits for the deliveries.

create table address_confirmations (
  id text primary key,
  account_id text not null,
  channel_id text not null,
  mailbox text not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  failures integer not null,
  next_attempt_at timestamptz(3),
  lease_token text,
  lease_until timestamptz
);
comment on table address_confirmations is
  'Mails that ask an address to confirm a channel. They outlive their channels: what was sent to an address counts '
  'after removals too.';
create index address_confirmations_due on address_confirmations (next_attempt_at) where next_attempt_at is not null;
create index address_confirmations_of_mailbox on address_confirmations (mailbox, created_at);
create index address_confirmations_of_account on address_confirmations (account_id, created_at);
create index address_confirmations_of_channel on address_confirmations (channel_id);

create table mail_suppressions (
  account_id text not null references accounts (id) on delete cascade,
  mailbox text not null,
  created_at timestamptz(3) not null,
  primary key (account_id, mailbox)
);
comment on table mail_suppressions is
  'Mailboxes, by a hash, that unsubscribed from an account, whatever becomes of its channels.';

create table message_quotas (
  key text primary key,
  ends_at timestamptz(3) not null,
  used jsonb not null,
  digests jsonb not null
);
comment on table message_quotas is
  'How many messages a mailbox or chat got in the window that ends then, by name, and the digests that hold the rest.';

create table digests (
  id text primary key,
  kind text not null check (kind in ('mail', 'chat')),
  channel_id text not null,
  account_id text not null,
  host text not null,
  due_at timestamptz(3) not null,
  failures integer not null,
  lease_token text,
  lease_until timestamptz
);
comment on table digests is
  'One message for all that the quota of a mailbox or chat held back, due when its window ends. With host and account, by '
  'which digests are claimed in turn: many are due in the same minute.';
create index digests_due on digests (kind, due_at);
create index digests_leased on digests (kind) where lease_token is not null;
create index digests_of_account on digests (account_id);


-- The platform ---------------------------------------------------------------------------------------------------------

create table idempotent_responses (
  scope text primary key,
  account_id text not null references accounts (id) on delete cascade,
  sealed_response text,
  claim_token uuid,
  claimed_until timestamptz(3),
  expires_at timestamptz(3) not null
);
comment on table idempotent_responses is
  'Responses for those who ask again with the same Idempotency-Key. The scope is a digest of account, path and key: '
  'neither the key nor the request can be read here.';
create index idempotent_responses_ended on idempotent_responses (expires_at);
create index idempotent_responses_of_account on idempotent_responses (account_id);

-- Unlogged: a crash of the database forgives a minute.
create unlogged table rate_limit_windows (
  key text primary key,
  used integer not null,
  ends_at timestamptz not null
) with (fillfactor = 50);
comment on table rate_limit_windows is 'How much was done in the minute under way, by accounts and others.';

create table extensions (
  name text primary key,
  compatibility text not null,
  since timestamptz(3) not null default now()
);
comment on table extensions is
  'The extensions without which no process may start, since their subscribers record every change.';

create table extension_tasks (
  extension text,
  task text,
  began_at timestamptz(3),
  leased_until timestamptz(3),
  lease text,
  is_repeat boolean not null default false,
  succeeded_at timestamptz(3),
  primary key (extension, task)
);
comment on table extension_tasks is
  'The tasks of extensions that one process at a time runs. A run without an end, whose lease is over, is repeated once.';
