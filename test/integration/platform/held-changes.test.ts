import { expect, it } from '@jest/globals';
import pg from 'pg';
import { migrations } from '../../../src/migrations/index.js';
import { freshDatabase } from '../../support/database/database.js';
import { applySteps } from './migration-steps.js';

const RELEASE = migrations.findIndex(({ name }) => name.endsWith('WithoutMassChanges'));

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
  const held = { kind: 'registrar', intent: 'own', tags: ['brand'], mass_change: { others: 20, held: true } };
  const message = { kind: 'registrar', intent: 'own', tags: ['brand'], names: 1, domains: ['earlier.test'] };
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

it('changes that an earlier version held for a message about many names are due for each channel that wants them', async () => {
  const url = await freshDatabase();
  await applySteps(url, migrations.slice(0, RELEASE));
  const client = new pg.Client(url);
  await client.connect();
  try {
    await fill(client);
    await applySteps(url, migrations.slice(0, RELEASE + 1));
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
  } finally {
    await client.end();
  }
});
