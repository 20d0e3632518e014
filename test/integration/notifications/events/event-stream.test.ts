import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Agent, fetch, type Response } from 'undici';
import { TransactionCursor } from '../../../../src/kernel/paging/transaction-cursor.js';
import { CursorSeal } from '../../../../src/platform/crypto/cursor-seal.js';
import { EventFeed } from '../../../../src/notifications/events/event-feed.repository.js';
import { EventStreams } from '../../../../src/notifications/events/event-streams.js';
import { StreamSlots } from '../../../../src/notifications/events/stream-slots.repository.js';
import { SILENCE_MS } from '../../../../ui/src/api/silence.js';
import { eventually } from '../../../support/eventually.js';
import { anEvent } from '../../../support/builders/notification-events.js';
import { afterWaiting } from '../../../support/fakes/process-time.js';
import { NotificationService } from '../../../support/servers/notification-service.js';

let notifications: NotificationService;
let address: string;
const readers: Reader[] = [];
/** Own dispatcher: fetch would reconnect when a reader leaves, and only this can be stopped. */
const dispatcher = new Agent();
beforeAll(async () => {
  notifications = await NotificationService.start();
  await notifications.service.app.listen(0, '127.0.0.1');
  address = await notifications.service.app.getUrl();
});
afterEach(async () => {
  for (const reader of readers.splice(0)) await reader.leave();
});
afterAll(async () => {
  await dispatcher.destroy();
  await notifications.close();
});

/** A minimal EventSource that records what it receives. */
class Reader {
  received = '';
  ended = false;
  /** Why it got no end of the stream. */
  failure: Error | null = null;
  private readonly controller = new AbortController();

  static async open(key: string, { query = '', lastEventId = '' } = {}): Promise<{ status: number; reader: Reader }> {
    const reader = new Reader();
    const resume: Record<string, string> = lastEventId === '' ? {} : { 'last-event-id': lastEventId };
    const headers = { authorization: `Bearer ${key}`, ...resume };
    const reply = await fetch(`${address}/v1/events/stream${query}`, {
      headers,
      dispatcher,
      signal: reader.controller.signal,
    });
    readers.push(reader);
    if (reply.status === 200) void reader.read(reply);
    else await reply.body?.cancel();
    return { status: reply.status, reader };
  }

  /** Resolves when so many events are there. */
  events(count: number) {
    const read = async () =>
      this.received
        .split('\n\n')
        .filter((frame) => frame.startsWith('id: '))
        .map((frame) => Object.fromEntries(frame.split('\n').map((line) => line.split(/: (.*)/).slice(0, 2))) as Frame);
    return eventually(read, (events) => events.length >= count);
  }

  async leave(): Promise<void> {
    this.controller.abort();
    await eventually(
      async () => this.ended || this.received === '',
      (ended) => ended,
    );
  }

  private async read(reply: Response): Promise<void> {
    try {
      const text = reply.body?.pipeThrough(new TextDecoderStream()) ?? [];
      for await (const chunk of text) this.received += chunk;
    } catch (error) {
      this.failure = error as Error; // also when the test disconnected it
    }
    this.ended = true;
  }
}
type Frame = Record<'id' | 'event' | 'data', string>;

const happens = async (accountId: string, type = 'watchlist.available') => {
  const event = anEvent({}, { accountId, type });
  await notifications.happens(event);
  return event.id;
};
const startOf = (accountId: string) =>
  notifications.of(CursorSeal).seal(TransactionCursor.START, `events of ${accountId}`);
const pingIds = ({ received }: Reader) => [...received.matchAll(/: ping\nid: (\S+)\n\n/g)].map(([, id]) => String(id));
/** Until then an older open transaction, of a background job for example, keeps it out of the feed, and "now" before it. */
const isReadable = (id: string) =>
  notifications.until('select 1 from events where id = $1 and xid < pg_snapshot_xmin(pg_current_snapshot())', [id], 1);
const readBody = async (id?: string) =>
  (await notifications.rows('select body from events where id = $1', [id]))[0]?.['body'];

/** As long as this is done, streams ping ten times a second. */
const pinging = async <Result>(act: () => Promise<Result>) => {
  const streams = notifications.of(EventStreams);
  const { pingIntervalMs } = streams as unknown as { pingIntervalMs: number };
  Object.assign(streams, { pingIntervalMs: 100 });
  return act().finally(() => Object.assign(streams, { pingIntervalMs }));
};

const RENEWED = `select 1 from event_stream_slots where account_id = $1 and until > now() + interval '50 seconds'`;

/** As retention does. */
const forget = async (accountId: string) => {
  await notifications.rows(
    `insert into event_feed_starts (account_id, xid, seq)
     select account_id, xid, seq from events where account_id = $1 order by xid desc, seq desc limit 1
     on conflict (account_id) do update set xid = excluded.xid, seq = excluded.seq`,
    [accountId],
  );
  await notifications.rows('delete from events where account_id = $1', [accountId]);
};

describe('a stream of events', () => {
  it('starts with the next new event, and sends the same bytes as the webhook', async () => {
    const { id, key } = await notifications.service.openAccount();
    await isReadable(await happens(id));
    const { reader } = await Reader.open(key);
    await eventually(
      async () => reader.received,
      (received) => received.startsWith('retry: 3000\n\n'),
    );
    const next = await happens(id);
    expect(await reader.events(1)).toMatchObject([{ event: 'watchlist.available', data: await readBody(next) }]);
  });

  it('continues after the event that the reader names in Last-Event-ID', async () => {
    const { id, key } = await notifications.service.openAccount();
    const { reader } = await Reader.open(key);
    await happens(id);
    const [first] = await reader.events(1);
    await reader.leave();
    const missed = [await happens(id), await happens(id)];
    const { reader: again } = await Reader.open(key, { lastEventId: first?.id ?? '' });
    const ids = (await again.events(2)).map(({ data }) => (JSON.parse(data) as { id: string }).id);
    expect(ids).toEqual(missed);
  });

  it('sends only the account’s own events of the requested type', async () => {
    const { id, key } = await notifications.service.openAccount();
    const { reader } = await Reader.open(key, { query: '?type=watchlist.expiring' });
    await happens(id);
    await happens((await notifications.service.openAccount()).id, 'watchlist.expiring');
    await happens(id, 'watchlist.expiring');
    expect(await reader.events(1)).toMatchObject([{ event: 'watchlist.expiring' }]);
  });

  it('is refused if the cursor is invalid (400), of another account (400) or too old (410)', async () => {
    const { id, key } = await notifications.service.openAccount();
    for (const lastEventId of ['nonsense', startOf(notifications.service.account.id)])
      expect((await Reader.open(key, { lastEventId })).status).toBe(400);
    await happens(id);
    const old = startOf(id);
    expect((await Reader.open(key, { lastEventId: old })).status).toBe(200);
    await forget(id);
    expect((await Reader.open(key, { lastEventId: old })).status).toBe(410);
  });

  it('also moves the cursor past events that the filter leaves out', async () => {
    const { id, key } = await notifications.service.openAccount();
    const query = '?type=watchlist.expiring';
    const { reader, lastEventId } = await pinging(async () => {
      const { reader } = await Reader.open(key, { query });
      const [first] = await eventually(
        async () => pingIds(reader),
        (ids) => ids.length > 0,
      );
      await happens(id);
      const last = await eventually(
        async () => pingIds(reader).at(-1) ?? '',
        (ping) => ping !== first,
      );
      return { reader, lastEventId: last };
    });
    await forget(id);
    await happens(id, 'watchlist.expiring');
    expect(await reader.events(1)).toMatchObject([{ event: 'watchlist.expiring' }]);
    const { reader: again } = await Reader.open(key, { query, lastEventId });
    expect(await again.events(1)).toMatchObject([{ event: 'watchlist.expiring' }]);
  });

  it('is refused with 429 while its account has five others open', async () => {
    const { key } = await notifications.service.openAccount();
    const five = await Promise.all(Array.from({ length: 5 }, () => Reader.open(key)));
    expect(five.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect((await Reader.open(key)).status).toBe(429);
    await five[0]?.reader.leave();
    await eventually(
      async () => (await Reader.open(key)).status,
      (status) => status === 200,
    );
    expect((await Reader.open((await notifications.service.openAccount()).key)).status).toBe(200);
  });

  it('counts towards the account’s limit in every process, but not if its process is dead', async () => {
    const { id, key } = await notifications.service.openAccount();
    await notifications.rows(
      `insert into event_stream_slots (account_id, token, until)
       select $1, gen_random_uuid()::text, now() + interval '1 minute' from generate_series(1, 4)`,
      [id],
    );
    expect((await Reader.open(key)).status).toBe(200);
    expect((await Reader.open(key)).status).toBe(429);
    await notifications.rows('update event_stream_slots set until = now() where account_id = $1', [id]);
    expect((await Reader.open(key)).status).toBe(200);
  });

  it('sends a ping every 15 seconds, and so stays counted in the account’s limit', async () => {
    expect(notifications.of(EventStreams)).toMatchObject({ pingIntervalMs: 15_000 });
    expect(SILENCE_MS).toBeGreaterThan(2 * 15_000);
    const { id, key } = await notifications.service.openAccount();
    const { reader } = await pinging(() => Reader.open(key));
    await notifications.rows('update event_stream_slots set until = now() where account_id = $1', [id]);
    await eventually(
      async () => reader.received,
      (received) => /^retry: 3000\n\n(.*\n)*: ping\nid: \S+\n\n/.test(received),
    );
    await notifications.until(RENEWED, [id], 1);
  });

  it('ends within a second after its API key is revoked', async () => {
    const { id, key } = await notifications.service.openAccount();
    const { reader } = await Reader.open(key);
    await happens(id);
    await reader.events(1);
    await notifications.rows('update api_keys set revoked_at = now() where account_id = $1', [id]);
    const ended = () => eventually(async () => reader.ended, Boolean);
    expect(await afterWaiting(1_000, ended)).toBe(true);
  });

  it('ends after the requested duration even if a page of events is still being read', async () => {
    const { key } = await notifications.service.openAccount();
    const events = notifications.of(EventFeed);
    const streamPage = events.streamPage.bind(events);
    events.streamPage = async (query) => {
      await notifications.rows('select pg_sleep(1.3)');
      return streamPage(query);
    };
    const { reader } = await Reader.open(key, { query: '?for_seconds=1' });
    await eventually(async () => reader.ended, Boolean);
    events.streamPage = streamPage;
    expect(reader).toMatchObject({ failure: null, received: expect.stringMatching(/^retry: 3000\n\n/) });
  });
});

const buildRequest = (key: string) =>
  `GET /v1/events/stream HTTP/1.1\r\nhost: namewatch\r\nauthorization: Bearer ${key}\r\n\r\n`;

describe('a client that reads a stream', () => {
  it('does not count towards the limit if it disconnects before the stream starts', async () => {
    const { id, key } = await notifications.service.openAccount();
    const events = notifications.of(EventFeed);
    const end = events.end.bind(events);
    const [asked, left] = [new AbortController(), new AbortController()];
    events.end = async (account) => {
      asked.abort();
      await once(left.signal, 'abort');
      return end(account);
    };
    const sockets = new Set<Socket>();
    const http = notifications.service.app.getHttpServer();
    http.once('connection', (socket: Socket) => sockets.add(socket));
    const leaving = connect(Number(new URL(address).port), '127.0.0.1');
    leaving.write(buildRequest(key));
    await eventually(
      async () => asked.signal.aborted,
      (isAsked) => isAsked,
    );
    leaving.destroy();
    await eventually(
      async () => [...sockets].every(({ destroyed }) => destroyed),
      (isClosed) => isClosed,
    );
    events.end = end;
    const taken = notifications.of(StreamSlots);
    const take = taken.acquire.bind(taken);
    const places: (string | null)[] = [];
    taken.acquire = async (account) => {
      places.push(await take(account));
      return places.at(-1) ?? null;
    };
    left.abort();
    await eventually(
      async () => places.length,
      (count) => count === 1,
    );
    taken.acquire = take;
    await notifications.until('select 1 from event_stream_slots where account_id = $1', [id], 0);
  });
});

describe('a connected client that reads nothing', () => {
  /** More than any socket holds. */
  const stuck = async (id: string, key: string) => {
    const reader = connect(Number(new URL(address).port), '127.0.0.1');
    reader.pause();
    reader.on('error', () => reader.destroy());
    reader.write(buildRequest(key));
    const slotQuery = 'select 1 from event_stream_slots where account_id = $1';
    await notifications.until(slotQuery, [id], 1);
    await notifications.rows(
      `insert into events (id, account_id, type, body, created_at)
       select 'evt_' || gen_random_uuid(), $1, 'watchlist.available', repeat('x', 300000), now()
       from generate_series(1, 100)`,
      [id],
    );
    return { reader, isGone: () => notifications.until(slotQuery, [id], 0) };
  };

  it('is disconnected when its API key is revoked', async () => {
    const { id, key } = await notifications.service.openAccount();
    const { reader, isGone } = await stuck(id, key);
    await notifications.rows('update api_keys set revoked_at = now() where account_id = $1', [id]);
    await isGone();
    reader.destroy();
  });

  it('is disconnected after 30 seconds', async () => {
    const streams = notifications.of(EventStreams);
    const { readerTimeoutMs } = streams as unknown as { readerTimeoutMs: number };
    expect(readerTimeoutMs).toBe(30_000);
    Object.assign(streams, { readerTimeoutMs: 200 });
    const { id, key } = await notifications.service.openAccount();
    const { reader, isGone } = await stuck(id, key);
    await isGone();
    Object.assign(streams, { readerTimeoutMs });
    reader.destroy();
  });

  it('counts towards the account’s limit until it is disconnected', async () => {
    const { id, key } = await notifications.service.openAccount();
    const { reader } = await pinging(() => stuck(id, key));
    for (let turn = 0; turn < 3; turn += 1) {
      await notifications.rows('update event_stream_slots set until = now() where account_id = $1', [id]);
      await notifications.until(RENEWED, [id], 1);
    }
    reader.destroy();
  });
});
