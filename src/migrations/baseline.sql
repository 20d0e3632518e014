-- The database of Namewatch 1.0, in the order in which one reads it: accounts and people, names and their watchers,
-- lookups and registries, events and their deliveries, and what processes share. docs/database.md says how it is changed.
--
-- Times of the service's clock are timestamptz(3); times of the database's own clock, such as the ends of leases, are
-- timestamptz. A foreign key is deferred where the ORM writes both rows in any order within one transaction.


-- Accounts ------------------------------------------------------------------------------------------------------------

create table accounts (
  id text primary key,
  name text not null,
  plan text not null,
  created_at timestamptz(3) not null,
  suspended_at timestamptz(3),
  deletion_started_at timestamptz(3),
  deletion_advanced_at timestamptz,
  is_operator boolean not null default false
);
comment on table accounts is
  'The accounts, which watch names. If a deletion begins and makes no progress, another process finishes it.';
comment on column accounts.is_operator is
  'True for the one account of the people who run this service. It opens other accounts, exists from the first start '
  'on, and is never deleted.';
create unique index accounts_of_operator on accounts (is_operator) where is_operator;
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

create table secret_addresses (
  id text primary key,
  account_id text not null references accounts (id) on delete cascade,
  kind text not null check (kind in ('calendar', 'client_page')),
  digest text not null unique,
  title text,
  tags text[] not null default '{}',
  created_at timestamptz(3) not null,
  expires_at timestamptz(3),
  opened integer not null default 0,
  last_used_at timestamptz(3)
);
comment on table secret_addresses is
  'The SHA-256 of secrets in addresses that are read without a key: an account''s calendar, and its pages for '
  'clients.';
comment on column secret_addresses.opened is 'The number of minutes in which the address was read.';
-- An account has one calendar: a new one replaces it.
create unique index one_calendar_of_account on secret_addresses (account_id) where kind = 'calendar';
create index secret_addresses_of_account on secret_addresses (account_id, kind, id);


-- People --------------------------------------------------------------------------------------------------------------

create table people (
  id text primary key,
  issuer text not null,
  subject text not null,
  name text,
  email text,
  created_at timestamptz(3) not null,
  signed_in_at timestamptz(3) not null,
  unique (issuer, subject)
);
comment on table people is
  'People who have signed in by OpenID Connect. They are known by issuer and subject, never by their (verified) mail '
  'address.';

create table members (
  account_id text not null references accounts (id) on delete cascade,
  person_id text not null references people (id) on delete cascade,
  role text not null check (role in ('viewer', 'editor', 'admin')),
  invited_role text check (invited_role in ('viewer', 'editor', 'admin')),
  added_by text not null check (added_by in ('invitation', 'group')),
  added_at timestamptz(3) not null,
  primary key (person_id, account_id)
);
comment on table members is 'The accounts of each person, with a role in each.';
comment on column members.invited_role is
  'The role from an invitation, if a group gave this member a stronger role. It stays when the group''s role ends.';
create index members_of_account on members (account_id);

create table invitations (
  id text primary key,
  account_id text not null references accounts (id) on delete cascade,
  role text not null check (role in ('viewer', 'editor', 'admin')),
  email text not null,
  digest text not null,
  invited_by text not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  accepted_at timestamptz(3)
);
comment on table invitations is
  'Invitations to become a member, each bound to a verified address. digest is the SHA-256 of the secret in the link.';
create index invitations_of_account on invitations (account_id);

create table sessions (
  id text primary key,
  digest text not null,
  key_id text references api_keys (id) on delete cascade,
  person_id text references people (id) on delete cascade,
  sole_account_id text,
  created_at timestamptz(3) not null,
  used_at timestamptz(3) not null,
  ends_at timestamptz(3) not null,
  address text,
  user_agent text,
  check (num_nonnulls(key_id, person_id) = 1)
);
comment on table sessions is
  'Browsers that stay signed in, with a key or as a person. digest is the SHA-256 of the secret in the cookie.';
comment on column sessions.sole_account_id is
  'The person''s only account when the session began, which requests need not name. Null if there were several.';
create index sessions_of_owner on sessions (coalesce(person_id, key_id), created_at desc);


-- Audit records -------------------------------------------------------------------------------------------------------

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
  'Records of who did what, when and from where, in the order of transactions. Only the two functions below delete '
  'records, and none is ever changed.';
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

-- These functions run as the table's owner. If the service works as another user, it can delete records in no other
-- way.
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


-- Watched names -------------------------------------------------------------------------------------------------------

-- Each check leaves a dead row and a dead entry in each index, which claims read until a vacuum. So a vacuum comes when
-- 2 % of the rows are dead: 20 % of ten million names would be two million dead rows.
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
  failure_code text,
  traceparent text
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.1);
comment on table watched_names is
  'The state that all entries of a name share: confirmed facts, a change that waits for its confirmation, and when '
  'the name is checked next. next_check_at is null if nobody watches the name. The revision orders writes.';
comment on column watched_names.traceparent is
  'The trace of the request that asked for the next check, until a check finds nothing new. Null while nothing is '
  'traced.';
-- A claim reads this index operator by operator and urgency by urgency, and does not read the table.
create index watched_names_due on watched_names (operator, urgency, next_check_at, domain)
  where next_check_at is not null;
create index watched_names_resting on watched_names (last_checked_at) where next_check_at is null;

create table name_evidence (
  domain text primary key references watched_names (domain) on delete cascade deferrable initially deferred,
  evidence text not null
);
comment on table name_evidence is
  'The evidence for the facts of a name, as JSON. It is a table of its own, since checks never read it.';

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
  'Other statements of registries, as JSON: for each kind the present value and the earlier values. previous is set '
  'if a value followed another value of the same registration; watchers are notified of such a change.';
create index registration_records_ended on registration_records (last_seen_at) where last_seen_at is not null;

-- Unlogged: after a crash of the database, holders of lost leases write nothing, and the names are checked again. Half
-- of each page is free, so that a lease is renewed in place.
create unlogged table check_leases (
  domain text primary key,
  operator text not null default '',
  token uuid not null,
  until timestamptz not null,
  starts smallint not null default 0
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
comment on table check_leases is
  'The right of one worker to check a name until a time, and how many checks were started and not finished. Columns '
  'of watched_names would not do, because each claim would rewrite a wide row.';


-- Entries of the watchlists -------------------------------------------------------------------------------------------

create table watch_entries (
  id text primary key,
  account_id text not null references accounts (id) deferrable initially deferred,
  domain text not null references watched_names (domain) deferrable initially deferred,
  purpose text not null,
  interval_minutes integer not null,
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
  first_answer text check (first_answer in ('shown', 'told')),
  expires_at timestamptz(3),
  answered boolean not null default false,
  failing boolean not null default false,
  drifted boolean not null default false,
  searched_text text,
  long_text text,
  import_id text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint one_entry_per_account_and_domain unique (account_id, domain)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02); -- for watch_entries_searched
comment on table watch_entries is
  'The watch of one account on one name, with its settings and the state that the account was last notified of. '
  'expires_at, answered, failing and drifted are copied from the name, because lists are sorted and filtered by them.';
comment on column watch_entries.first_answer is
  'Whether the first answer after the entry was added or resumed is only shown or also told. Null after that answer.';
comment on column watch_entries.long_text is 'The text that is searched, if it is too long for searched_text.';
comment on column watch_entries.import_id is 'The run of the import that added the entry.';
create index watch_entries_of_name on watch_entries (domain, id);
-- A routine check reads the entries that are due, not all entries of the name.
create index watch_entries_boundary on watch_entries (domain, boundary_at) where not paused;
-- Each order of a list has its own index, except the order of the last check, and so have its filters.
create index watch_entries_newest on watch_entries (account_id, created_at desc, id desc);
create index watch_entries_newest_by_status on watch_entries (account_id, status, created_at desc, id desc);
create index watch_entries_by_status on watch_entries (account_id, status, id);
create index watch_entries_by_expiry on watch_entries (account_id, expires_at nulls first, id);
create index watch_entries_by_status_and_expiry on watch_entries (account_id, status, expires_at nulls first, id);
-- Counts the entries that need action without reading the table. Most accounts have few of these.
create index watch_entries_needing_action on watch_entries (account_id, phase, status, purpose, failing, drifted, answered)
  where not paused and (failing or drifted or not answered or phase in ('expired_grace', 'redemption')
    or (status = 'available' and purpose = 'acquire'));
-- The first page counts names that expire soon, by month. The index has all that it needs, so the table is not read.
create index watch_entries_expiring on watch_entries (account_id, expires_at) include (purpose) where not paused;
-- A small copy of the entries, sorted by account. A search or filter reads a few pages of this index instead of a page
-- of the table for each entry. For pages that were not vacuumed it reads the table too. A change of an entry's text
-- writes the index, a routine check does not.
create index watch_entries_searched on watch_entries (account_id, created_at desc, id desc)
  include (domain, searched_text, status, phase, purpose, paused, failing, drifted, answered, expires_at);
-- Entries whose text does not fit into an index.
create index watch_entries_with_long_text on watch_entries (account_id) where long_text is not null;
-- Finds the entries that an import added, to list or remove them. Entries added one by one are not in it.
create index watch_entries_of_import on watch_entries (account_id, import_id, domain) where import_id is not null;

create table entry_counts (
  account_id text primary key,
  entries integer not null
) with (fillfactor = 50);
comment on table entry_counts is
  'How many entries each account has. Otherwise each page and each addition would count them all.';

create table watch_history (
  entry_id text not null,
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
comment on table watch_history is
  'The statuses and phases of an entry with their evidence, also after its removal, for as long as the account''s '
  'plan keeps them. last_seen_at is null for the present status.';
create index watch_history_ended on watch_history (last_seen_at) where last_seen_at is not null;

create table removed_entries (
  id text primary key,
  account_id text not null references accounts (id) deferrable initially deferred,
  domain text not null,
  added_at timestamptz(3) not null,
  removed_at timestamptz(3) not null,
  request_id text
);
comment on table removed_entries is
  'Entries that were removed, for as long as the account''s plan keeps their history. They are apart, so that '
  'watch_entries has only rows that checks need.';
create index removed_entries_of_account on removed_entries (account_id, removed_at, id);
create index removed_entries_of_name on removed_entries (account_id, domain, removed_at, id);
create index removed_entries_by_age on removed_entries (removed_at, id);

create table followed_accounts (
  account_id text primary key references accounts (id) on delete cascade deferrable initially deferred,
  minimum_minutes integer not null,
  suspended boolean not null default false,
  scheduled boolean not null default true
);
comment on table followed_accounts is
  'The shortest interval that the plan of each account allows. If suspended, the account''s names are scheduled as if '
  'nobody watched them. If not scheduled, its names still have to be scheduled by the new minimum.';


-- Drop lists ----------------------------------------------------------------------------------------------------------

create table drop_lists (
  name text primary key,
  next_fetch_at timestamptz(3) not null,
  etag text,
  last_modified text,
  applied_at timestamptz(3),
  size integer not null default 0
);
comment on table drop_lists is 'The official drop lists (names that are about to be deleted) that this service reads.';

create table drop_listings (
  domain text primary key,
  list text not null,
  drop_at timestamptz(3) not null,
  listed_at timestamptz(3) not null,
  window_began boolean not null default false
);
comment on table drop_listings is 'The watched names on drop lists. They are a hint when to check, never a status.';
create index drop_listings_by_list on drop_listings (list, drop_at);


-- Lookups and registries ----------------------------------------------------------------------------------------------

create table lookups (
  domain text not null,
  account_id text references accounts (id) on delete cascade,
  facts text,
  observation text,
  observed_at timestamptz(3) not null,
  fresh_until timestamptz(3),
  in_zone_at timestamptz(3),
  unique nulls not distinct (domain, account_id)
) with (fillfactor = 70);
comment on table lookups is
  'The last lookup of a name by each account, which is returned again while it is fresh. The row without an account '
  'is for all accounts: a change that a watch saw, a doubtful absence (no facts), and when the zone had the name '
  '(in_zone_at).';
create index lookups_by_account on lookups (account_id);

create table registry_operators (
  operator text primary key,
  blocked_until timestamptz,
  breaker_open_since timestamptz,
  retry_at timestamptz,
  openings integer not null default 0,
  probe_until timestamptz,
  full_at timestamptz,
  kept_for smallint,
  kept_until timestamptz
) with (fillfactor = 50);
comment on table registry_operators is
  'Whether and when each operator may be asked. At full_at its whole burst is free again. Until kept_until, less '
  'urgent queries than kept_for are refused, since a query of that urgency was.';

create table registry_hours (
  operator text not null,
  hour timestamptz(3) not null,
  answers integer not null,
  errors integer not null,
  seconds real not null,
  primary key (operator, hour)
);
comment on table registry_hours is
  'How many queries to each operator were answered within an hour, and how many failed, for a day; seconds: how long '
  'all of them took together.';

create table registry_canaries (
  source text not null,
  zone text not null,
  known jsonb not null,
  found_at timestamptz(3),
  missing_at timestamptz(3),
  domain text,
  primary key (source, zone)
);
comment on table registry_canaries is
  'Names of which a source must have a record. known has those that the source itself found, found_at is when it last '
  'found one, and missing_at when it had none. Then its absences are in doubt for ten minutes.';

create table registry_documents (
  kind text primary key,
  body text not null,
  fetched_at timestamptz(3) not null
);
comment on table registry_documents is 'The last copy of published lists, such as the RDAP bootstrap file.';


-- Events --------------------------------------------------------------------------------------------------------------

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
  'Events, which never change, in the order of transactions. traceparent is the trace in which an event was caused, '
  'or null.';
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
  'The last event of each account that was deleted. A cursor before it has missed something.';

create table event_stream_slots (
  account_id text not null,
  token text primary key,
  until timestamptz not null
);
comment on table event_stream_slots is 'Open event streams, of which each account may have a limited number.';
create index event_stream_slots_of_account on event_stream_slots (account_id);


-- Channels and deliveries ---------------------------------------------------------------------------------------------

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
  label text,
  summary jsonb,
  next_summary_at timestamptz(3),
  created_at timestamptz(3) not null,
  constraint one_channel_per_target unique (account_id, type, canonical_target)
);
comment on table notification_channels is
  'Where an account wants its events. Secrets, older secrets and values of headers are encrypted. canonical_target is '
  'a keyed hash if the target is secret.';
create unique index one_channel_per_label on notification_channels (account_id, lower(label)) where label is not null;
-- This index is read every few seconds, so it holds only the few rows that matter.
create index notification_channels_next_summary on notification_channels (next_summary_at)
  where next_summary_at is not null;
-- This index is read every minute, so it holds only the few rows that matter.
create index notification_channels_without_relay on notification_channels (id) where reason = 'mail_not_configured';

-- Half of each page is free: deliveries that are inserted together are attempted together, so a page needs room for a
-- second version of all of its rows. Vacuum comes at 2 % dead rows and not at 20 %, since claims read past dead rows.
create table deliveries (
  id text primary key,
  event_id text not null references events (id) on delete cascade,
  channel_id text not null references notification_channels (id) on delete cascade,
  urgent boolean not null default false,
  state text not null check (state in ('pending', 'delivered', 'failed', 'paused', 'disabled')),
  attempts integer not null default 0,
  failures integer not null default 0,
  next_attempt_at timestamptz(3),
  created_at timestamptz(3) not null,
  constraint one_delivery_per_channel unique (event_id, channel_id),
  constraint pending_is_due check ((state = 'pending') = (next_attempt_at is not null))
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
comment on table deliveries is 'The delivery of one event to one channel.';
-- This index shows at once that nothing is due.
create index deliveries_due on deliveries (next_attempt_at) where state = 'pending';
-- Finds the channels with something due, and what is due on one channel.
create index deliveries_pending on deliveries (channel_id, next_attempt_at, id) where state = 'pending';
create index deliveries_of_channel on deliveries (channel_id, created_at desc, id desc);

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
comment on table delivery_attempts is
  'Attempts to send a delivery, stored before they are made. outcome is null while an attempt is not over.';

create table channel_leases (
  channel_id text primary key references notification_channels (id) on delete cascade,
  account_id text not null,
  host text not null,
  token text,
  until timestamptz,
  sending text[] not null default '{}',
  served_at timestamptz not null,
  messaged_at timestamptz(3),
  constraint token_has_an_end check ((token is null) = (until is null))
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
comment on table channel_leases is
  'The right of one worker to send to a channel until a time, and when each channel was served last.';
comment on column channel_leases.token is 'Null if nobody sends to the channel.';
comment on column channel_leases.sending is 'The deliveries whose attempts have started under this lease.';
comment on column channel_leases.messaged_at is
  'When people got the last message, by the clock of events. The next message keeps a distance to it.';
create index channel_leases_held on channel_leases (until) where token is not null;


-- Mail that is no delivery --------------------------------------------------------------------------------------------

create table mail_outbox (
  id text primary key,
  kind text not null check (kind in ('confirmation', 'invitation')),
  account_id text,
  subject_id text not null,
  mailbox text,
  state text not null default 'waiting' check (state in ('waiting', 'sent', 'failed')),
  due_at timestamptz(3) not null,
  failures integer not null default 0,
  counted_at timestamptz(3),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  lease_token text,
  lease_until timestamptz
);
comment on table mail_outbox is
  'Mails that ask an address to confirm a channel, or invite somebody; subject_id is the channel or invitation. They '
  'outlive it and their account (then null), because mails to a mailbox count after a removal too.';
comment on column mail_outbox.mailbox is 'A hash of the mailbox. Null until the mail is counted.';
comment on column mail_outbox.counted_at is 'When the mail last counted towards the limits of its account and mailbox.';
comment on column mail_outbox.expires_at is 'When the link in the mail ends. The mail is not sent later.';
create unique index one_mail_waits_for_each_subject on mail_outbox (subject_id) where state = 'waiting';
-- This index is read every few seconds, so it holds only the few rows that matter.
create index mail_outbox_due on mail_outbox (due_at) where state = 'waiting';
create index mail_outbox_of_subject on mail_outbox (subject_id);
create index mail_outbox_of_account on mail_outbox (account_id, counted_at);
create index mail_outbox_of_mailbox on mail_outbox (mailbox, counted_at);

create table mail_suppressions (
  account_id text not null references accounts (id) on delete cascade,
  mailbox text not null,
  created_at timestamptz(3) not null,
  primary key (account_id, mailbox)
);
comment on table mail_suppressions is
  'Mailboxes (by a hash) that unsubscribed from an account. This holds whatever becomes of the account''s channels.';


-- The platform --------------------------------------------------------------------------------------------------------

create table idempotent_responses (
  scope text primary key,
  account_id text not null references accounts (id) on delete cascade,
  sealed_response text,
  claim_token uuid,
  claimed_until timestamptz(3),
  expires_at timestamptz(3) not null
);
comment on table idempotent_responses is
  'Responses to requests with an Idempotency-Key, for a repeat with the same key. The scope is a digest of account, '
  'method, path and key, so neither the key nor the request can be read here.';
create index idempotent_responses_ended on idempotent_responses (expires_at);
create index idempotent_responses_of_account on idempotent_responses (account_id);

-- Unlogged: after a crash of the database, the counts of one minute are lost.
create unlogged table rate_limit_windows (
  key text primary key,
  used integer not null,
  ends_at timestamptz not null
) with (fillfactor = 50);
comment on table rate_limit_windows is 'How much of each rate limit was used in the present minute.';

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
  'Tasks of extensions, each run by one process at a time. A run whose lease ended before the run is repeated once.';

create table database_state (
  one boolean primary key default true check (one),
  transactions_ahead bigint not null default 0,
  sealed_data_key text,
  steady_since timestamptz(3),
  backup_taken_at timestamptz,
  backup_bytes bigint
);
comment on table database_state is 'A single row, with facts about the whole database.';
comment on column database_state.transactions_ahead is
  'How far the numbers of events and audit records are ahead of PostgreSQL''s transaction numbers, which start again '
  'when a dump is restored.';
comment on column database_state.sealed_data_key is
  'The key that encrypts secrets, cursors and links, encrypted with the master key. The first start makes it.';
comment on column database_state.steady_since is
  'When all processes had the new time, after the clock of this server was put forward.';
comment on column database_state.backup_taken_at is 'When the newest finished backup of this database was taken.';
insert into database_state default values;

create unlogged table processes (
  id text primary key,
  role text not null,
  version text not null,
  host text not null,
  pid integer not null,
  master_keys text[] not null,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
);
comment on table processes is
  'The processes of the service, each of which writes its row every half minute. A row is deleted after a day, and '
  'all are lost in a crash.';
comment on column processes.master_keys is
  'Ids of the master keys in the settings of the process, with which it could decrypt the data key at its next start.';
