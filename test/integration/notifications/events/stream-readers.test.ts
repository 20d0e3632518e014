import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventFeed } from '../../../../src/notifications/events/event-feed.repository.js';
import { StreamSlots } from '../../../../src/notifications/events/stream-slots.repository.js';
import { EventStreams } from '../../../../src/notifications/events/event-streams.js';
import { eventually } from '../../../support/eventually.js';
import { NotificationService } from '../../../support/servers/notification-service.js';

let notifications: NotificationService;
let port: number;
beforeAll(async () => {
  notifications = await NotificationService.start();
  await notifications.service.app.listen(0, '127.0.0.1');
  port = Number(new URL(await notifications.service.app.getUrl()).port);
});
afterAll(() => notifications.close());

const buildRequest = (key: string) =>
  `GET /v1/events/stream HTTP/1.1\r\nhost: namewatch\r\nauthorization: Bearer ${key}\r\n\r\n`;

describe('a reader of a stream', () => {
  it('frees its slot when it disconnects before the stream starts', async () => {
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
    const leaving = connect(port, '127.0.0.1');
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

describe('a reader that reads nothing', () => {
  /** More than any socket holds. */
  const stuck = async (id: string, key: string) => {
    const reader = connect(port, '127.0.0.1');
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

  it('is disconnected when its key is revoked', async () => {
    const { id, key } = await notifications.service.openAccount();
    const { reader, isGone } = await stuck(id, key);
    await notifications.rows('update api_keys set revoked_at = now() where account_id = $1', [id]);
    await isGone();
    reader.destroy();
  });

  it('is disconnected after half a minute', async () => {
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

  it('keeps its slot until then', async () => {
    const streams = notifications.of(EventStreams);
    const { pingIntervalMs } = streams as unknown as { pingIntervalMs: number };
    Object.assign(streams, { pingIntervalMs: 100 });
    const { id, key } = await notifications.service.openAccount();
    const { reader } = await stuck(id, key);
    Object.assign(streams, { pingIntervalMs });
    const until = `update event_stream_slots set until = now() where account_id = $1`;
    for (let turn = 0; turn < 3; turn += 1) {
      await notifications.rows(until, [id]);
      const kept = `select 1 from event_stream_slots where account_id = $1 and until > now() + interval '50 seconds'`;
      await notifications.until(kept, [id], 1);
    }
    reader.destroy();
  });
});
