import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { EntityManager } from 'namewatch/mikro-orm';
import {
  backgroundTaskContract,
  startForTests,
  subscriberContract,
  type TestNamewatch,
  until,
} from 'namewatch/testing';
import outbox from '../src/outbox.js';
import { type Change, OutboxMessages } from '../src/outbox-messages.js';
import { RecordChanges } from '../src/record-changes.js';
import { SendOutbox } from '../src/send-outbox.js';
import { FakeBus } from './fake-bus.js';

let bus: FakeBus;
let namewatch: TestNamewatch;
before(async () => {
  bus = await FakeBus.start();
  const settings = { OUTBOX_URL: bus.url, OUTBOX_TOKEN: 't0ken', OUTBOX_MAX_MESSAGES: '50' };
  namewatch = await startForTests({ extensions: [outbox], settings });
});
after(async () => {
  await namewatch.close();
  await bus.close();
});
afterEach(async () => {
  bus.answer = () => 202;
  await query('delete from outbox_messages');
});

function query(text: string): Promise<{ event_id: string }[]> {
  return namewatch.get(EntityManager).fork().execute(text);
}
async function waiting(ids: readonly string[]): Promise<string[]> {
  const rows = await query('select event_id from outbox_messages order by sequence');
  return rows.map(({ event_id: id }) => id).filter((id) => ids.includes(id));
}

let count = 0;
/** Writes a message about each of these entries, in order. @returns the ids of the events */
async function write(...entries: string[]): Promise<string[]> {
  const { accountId, clock } = namewatch;
  const events = entries.map((entry): Change => {
    count += 1;
    const payload = { entry_id: entry };
    return { id: `evt_${count}`, accountId, occurredAt: clock.now(), type: 'entry.removed', payload };
  });
  await namewatch.get(OutboxMessages).add(events);
  return events.map(({ id }) => id);
}

const send = () => namewatch.runTask(SendOutbox);
const takenOf = (ids: readonly string[]) => bus.takenIds.filter((id) => ids.includes(id));

describe('the outbox', () => {
  it('has a message of each change, which is sent afterwards', async () => {
    const { client, registry, clock } = namewatch;
    registry.register('lapsing.test');
    await client.post('/v1/watchlist', { domain: 'lapsing.test' });
    const statusOf = async () =>
      (await client.get<{ data: { status: string }[] }>('/v1/watchlist')).body.data[0]?.status;
    await until(async () => (await statusOf()) === 'registered');
    registry.release('lapsing.test');
    clock.advance({ days: 1 });
    await until(async () => (await statusOf()) === 'available');
    await send();
    const [message] = bus.taken.filter(({ body }) => body.data.domain === 'lapsing.test');
    assert.equal(message?.body.type, 'watchlist.available');
    assert.equal(message?.headers['idempotency-key'], message?.body.id);
    assert.equal(message?.headers.authorization, 'Bearer t0ken');
    assert.deepEqual(await query('select event_id from outbox_messages'), []);
  });

  it('keeps the order of an entry while one message fails, and holds back no other entry', async () => {
    const [first, second, third, other] = await write('wl_slow', 'wl_slow', 'wl_slow', 'wl_other');
    assert.ok(first && second && third && other);
    bus.answer = ({ body }) => (body.id === second ? 503 : 202);
    await assert.rejects(send(), /1 messages are tried again later: the message bus answered 503/);
    assert.deepEqual(takenOf([first, second, third, other]).sort(), [first, other].sort());
    const [later] = await write('wl_other');
    bus.answer = () => 202;
    await send(); // too early for the second one
    assert.deepEqual(await waiting([second, third, later ?? '']), [second, third]);
    namewatch.clock.advance({ seconds: 6 });
    await send();
    assert.deepEqual(takenOf([first, second, third]), [first, second, third]);
  });

  it('waits longer after each failure, at most an hour', async () => {
    const [id] = await write('wl_1');
    bus.answer = () => 500;
    const secondsToNext = async () => {
      await assert.rejects(send());
      const [row] = (await query(`select due_at from outbox_messages where event_id = '${id}'`)) as unknown as {
        due_at: string;
      }[];
      const delayMs = new Date(row?.due_at ?? 0).getTime() - namewatch.clock.now().getTime();
      namewatch.clock.advance({ hours: 1, seconds: 1 });
      return Math.ceil(delayMs / 5_000) * 5; // some time has passed since it was noted
    };
    assert.deepEqual([await secondsToNext(), await secondsToNext(), await secondsToNext()], [5, 10, 20]);
    await query('update outbox_messages set failures = 30');
    assert.equal(await secondsToNext(), 3_600);
  });

  it('sends a message again, with the same id, when the process died before it could note that', async () => {
    const [id] = await write('wl_1');
    const messages = namewatch.get(OutboxMessages);
    messages.remove = () => Promise.reject(new Error('connection lost'));
    await assert.rejects(send(), /connection lost/);
    Reflect.deleteProperty(messages, 'remove');
    await send();
    assert.deepEqual(takenOf([id ?? '']), [id, id]);
  });

  it('drops what is too old or too much, oldest first', async () => {
    bus.answer = () => 503;
    const [old] = await write('wl_old');
    namewatch.clock.advance({ hours: 73 });
    const many = await write(...Array.from({ length: 55 }, () => 'wl_many'));
    await assert.rejects(send());
    assert.deepEqual(await waiting([old ?? '', ...many]), many.slice(5));
  });

  it('loses its messages of an account with the account', async () => {
    const [kept] = await write('wl_kept');
    const { accountId } = await namewatch.openAccount();
    await query(`insert into outbox_messages (event_id, account_id, entry_id, type, occurred_at, data, due_at)
      values ('evt_shut', '${accountId}', 'wl_shut', 'entry.removed', now(), '{}', now())`);
    const deleted = await namewatch.deleteAccount(accountId);
    assert.equal(deleted['outbox messages'], 1);
    assert.deepEqual(await waiting(['evt_shut', kept ?? '']), [kept]);
  });
});

describe('its subscriber', () => {
  const contract = subscriberContract({
    subscriber: RecordChanges,
    namewatch: () => namewatch,
    countRows: async (ids) => (await waiting(ids)).length,
  });
  for (const { name, run } of contract) it(name, run);
});

describe('its task', () => {
  const contract = backgroundTaskContract({
    task: SendOutbox,
    namewatch: () => namewatch,
    addWork: () => write('wl_1', 'wl_1', 'wl_2'),
    readDone: () => bus.takenIds,
    failAfterFirst: () => {
      const end = bus.failAfterFirst();
      return () => {
        end();
        namewatch.clock.advance({ hours: 1 });
      };
    },
    hang: () => bus.hang(),
  });
  for (const { name, run } of contract) it(name, run);
});
