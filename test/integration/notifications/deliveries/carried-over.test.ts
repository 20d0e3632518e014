import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { migrations } from '../../../../src/migrations/index.js';
import { freshDatabase } from '../../../support/database/database.js';
import { applySteps } from '../../platform/migration-steps.js';

/** Two changes: one of them is held for the message of this hour, the other one was in the message of the last hour. */
async function fill(client: pg.Client): Promise<void> {
  await client.query(`insert into accounts values ('acc_1', 'first', 'selfhost', now())`);
  await client.query(
    `insert into notification_channels
       (id, account_id, type, target, canonical_target, host, event_types, tags, active, created_at)
     select id, 'acc_1', 'webhook', id, id, 'host', types::text[], tags::text[], true, now()
     from (values ('nc_all', '{}', '{}'), ('nc_mass', '{watchlist.mass_change}', '{}'), ('nc_shop', '{}', '{shop}'),
       ('nc_drops', '{watchlist.available}', '{}')) as channel (id, types, tags)`,
  );
  const held = { kind: 'registrar', purpose: 'own', tags: ['brand'], mass_change: { others: 20, held: true } };
  const message = { kind: 'registrar', purpose: 'own', tags: ['brand'], names: 1, domains: ['earlier.test'] };
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  for (const [id, type, hours, data] of [
    ['evt_earlier', 'watchlist.record_changed', 1.5, { ...held, domain: 'earlier.test' }],
    ['evt_message', 'watchlist.mass_change', 1, { ...message, since: hoursAgo(2), until: hoursAgo(1) }],
    ['evt_held', 'watchlist.record_changed', 0.5, { ...held, domain: 'held.test' }],
    ['evt_alone', 'watchlist.record_changed', 0.5, { ...held, mass_change: undefined, domain: 'alone.test' }],
  ] as const)
    await client.query(`insert into events (id, account_id, type, body, created_at) values ($1, 'acc_1', $2, $3, $4)`, [
      id,
      type,
      JSON.stringify({ id, type, data }),
      hoursAgo(hours),
    ]);
  await client.query(
    `insert into deliveries (id, event_id, channel_id, state, attempts, next_attempt_at, created_at)
     values ('dl_sent', 'evt_message', 'nc_all', 'delivered', 1, null, now()),
       ('dl_due', 'evt_message', 'nc_mass', 'pending', 0, now(), now())`,
  );
  await client.query(`insert into delivery_attempts values ('dl_sent', 1, now(), 5, 'ok', 200, null)`);
  await client.query(
    `insert into change_windows values ('w', 'acc_1', 'registrar', '{}', 'own', '{brand}', now() - interval '1 hour', '{}', 1, true)`,
  );
  await client.query(`insert into held_changes values ('w', 'held.test')`);
}

let client: pg.Client;
let url: string;
beforeAll(async () => {
  url = await freshDatabase();
  client = new pg.Client(url);
  await client.connect();
});
afterAll(() => client.end());

/** Migrates up to and with the migration of this name. */
const migrateTo = (name: string) =>
  applySteps(url, migrations.slice(0, migrations.findIndex((one) => one.name.endsWith(name)) + 1));

describe('what an earlier version had left to do', () => {
  it('changes that were held for a message about many names are due for each channel that wants them', async () => {
    await migrateTo('DueDeliveries');
    await fill(client);
    await migrateTo('WithoutMassChanges');
    const { rows } = await client.query<object>(
      `select event_id, channel_id, state, outcome from deliveries d left join delivery_attempts a on a.delivery_id = d.id
       order by event_id, channel_id`,
    );
    expect(rows).toEqual([
      { event_id: 'evt_earlier', channel_id: 'nc_all', state: 'delivered', outcome: 'ok' },
      { event_id: 'evt_earlier', channel_id: 'nc_mass', state: 'pending', outcome: null },
      { event_id: 'evt_held', channel_id: 'nc_all', state: 'pending', outcome: null },
      { event_id: 'evt_held', channel_id: 'nc_mass', state: 'pending', outcome: null },
    ]);
    expect((await client.query('select id from events order by id')).rows).toEqual([
      { id: 'evt_alone' },
      { id: 'evt_earlier' },
      { id: 'evt_held' },
    ]);
  });

  it('of a replay, what was not reached yet is due', async () => {
    await client.query(
      `insert into deliveries (id, event_id, channel_id, state, created_at)
       select 'dl_' || id, id, 'nc_drops', 'delivered', created_at from events`,
    );
    await client.query(
      `insert into delivery_replays
       select gen_random_uuid(), channel_id, now() - interval '1 day', now(), now(), created_at, id
       from deliveries where id = 'dl_evt_earlier'`,
    );
    await migrateTo('ReplayAtOnce');
    const { rows } = await client.query(`select id, state from deliveries where channel_id = 'nc_drops' order by id`);
    expect(rows).toEqual([
      { id: 'dl_evt_alone', state: 'pending' },
      { id: 'dl_evt_earlier', state: 'delivered' },
      { id: 'dl_evt_held', state: 'pending' },
    ]);
  });
});
