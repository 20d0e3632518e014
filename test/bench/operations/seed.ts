import type pg from 'pg';
import { newId } from '../../../src/kernel/identifier.js';
import { openAccount } from '../postgres.js';

/** How much of each kind an account of this size has. */
export interface Amounts {
  readonly entries: number;
  readonly oldEvents: number;
  readonly deliveries: number;
  /** Names that another account imports. */
  readonly imported: number;
}

export interface SeededAccount extends Amounts {
  readonly id: string;
  readonly key: string;
  readonly channel: string;
  /** Domains are `<label>-<n>.test`, with n from 1. */
  readonly label: string;
}

/** A registry's answer for a registered name. */
const FACTS = JSON.stringify({
  outcome: 'found',
  statuses: ['client transfer prohibited'],
  registrable: 'no',
  quarantine: null,
  registeredAt: '1997-09-15T04:00:00.000Z',
  expiresAt: '2029-09-14T04:00:00.000Z',
  publishesExpiry: true,
});

const NAMES = `
  insert into watched_names (domain, operator, interval_minutes, next_check_at, facts, source, facts_since, facts_confirmed_at,
    last_checked_at, revision)
  select $1 || '-' || n || '.test', 'registry of test', 60, now() + interval '1 day', $3, 'rdap', now(), now(), now(), 1
  from generate_series(1, $2::int) n`;
const ENTRIES = `
  insert into watch_entries (id, account_id, domain, interval_minutes,
    expiring_window_days, status, phase, change_seq,
    has_confirmed_facts, known_expires_at, boundary_at, paused, tags, note, purpose, created_at, updated_at, expires_at, answered)
  select 'wl_' || $1 || lpad(n::text, 20, '0'), $3, $1 || '-' || n || '.test', 60, 30, 'registered', 'registered', 1,
    true, '2029-09-14T04:00:00Z', '2029-08-15T04:00:00Z', false, '{brand,shop}', 'A note about it', 'own', now(), now(),
    '2029-09-14T04:00:00Z', true
  from generate_series(1, $2::int) n`;
/** An interval that ended years ago, and the current one. */
const HISTORY = `
  insert into watch_history (entry_id, change_seq, status, phase, first_seen_at, last_seen_at, evidence)
  select 'wl_' || $1 || lpad(n::text, 20, '0'), seq, 'registered', 'registered', now() - interval '9 years',
    case seq when 0 then now() - interval '5 years' + interval '1 second' * n end, '[]'
  from generate_series(1, $2::int) n cross join generate_series(0, 1) seq`;
const EVENTS = `
  insert into events (id, account_id, type, body, created_at)
  select 'evt_' || $1 || lpad(n::text, 20, '0'), $3, 'watchlist.registered', repeat('x', 400), $4::timestamptz + interval '1 millisecond' * n
  from generate_series(1, $2::int) n`;
const DELIVERIES = `
  insert into deliveries (id, event_id, channel_id, state, attempts, failures, created_at)
  select 'dlv_' || $1 || lpad(n::text, 20, '0'), 'evt_' || $1 || lpad(n::text, 20, '0'), $3,
    'delivered', 1, 0, $4::timestamptz + interval '1 millisecond' * n
  from generate_series(1, $2::int) n`;
const ATTEMPTS = `
  insert into delivery_attempts (delivery_id, number, started_at, duration_ms, outcome, response_status)
  select 'dlv_' || $1 || lpad(n::text, 20, '0'), 1, now(), 20, 'ok', 200 from generate_series(1, $2::int) n`;

/** An account without names, whose plan the watchlist knows. */
export async function openFollowedAccount(database: pg.Client): Promise<{ id: string; key: string }> {
  const account = await openAccount(database);
  await database.query(`insert into followed_accounts (account_id, minimum_minutes) values ($1, 5)`, [account.id]);
  return account;
}

/** An account with entries, their history, old events, and a channel whose recent deliveries all arrived. */
export async function seedAccount(database: pg.Client, label: string, amounts: Amounts): Promise<SeededAccount> {
  const account = await openFollowedAccount(database);
  const channel = newId('nc');
  await database.query(
    `insert into notification_channels (id, account_id, type, target, canonical_target, host, active, event_types, tags,
       created_at)
     values ($1, $2, 'webhook', $3, $3, 'receiver.test', false, '{}', '{}', now())`,
    [channel, account.id, `https://receiver.test/${label}`],
  );
  await database.query(`set session_replication_role = replica`); // neither foreign keys nor triggers row by row
  await database.query(NAMES, [label, amounts.entries, FACTS]);
  await database.query(ENTRIES, [label, amounts.entries, account.id]);
  await database.query(HISTORY, [label, amounts.entries]);
  const kinds = [
    { prefix: `${label}old`, count: amounts.oldEvents, since: '2020-01-01T00:00:00Z' },
    { prefix: `${label}new`, count: amounts.deliveries, since: new Date().toISOString() },
  ];
  for (const { prefix, count, since } of kinds) {
    await database.query(EVENTS, [prefix, count, account.id, since]);
    await database.query(DELIVERIES, [prefix, count, channel, since]);
    await database.query(ATTEMPTS, [prefix, count]);
  }
  await database.query(`insert into entry_counts (account_id, entries) values ($1, $2)`, [account.id, amounts.entries]);
  await database.query(`set session_replication_role = default`);
  return { ...account, ...amounts, channel, label };
}
