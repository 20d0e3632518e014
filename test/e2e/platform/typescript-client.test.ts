import { createServer, type RequestListener } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  addNotificationChannel,
  addToWatchlist,
  checkDomain,
  type Event,
  getWatchlistEntry,
  listEvents,
  listNotificationChannels,
  listWatchlist,
  namewatch,
  NetworkError,
  removeFromWatchlist,
  removeNotificationChannel,
  streamEvents,
  UnexpectedAnswerError,
} from '../../../clients/typescript/src/index.js';
import { startTestService, type TestService } from '../../support/servers/test-service.js';
import { Listening } from '../../world/listening.js';

let service: TestService;
let url: string;
let client: ReturnType<typeof namewatch>;
beforeAll(async () => {
  service = await startTestService();
  await service.app.listen(0, '127.0.0.1');
  url = await service.app.getUrl();
  client = namewatch({ url, key: service.account.key });
});
afterAll(() => service.close());

/** Compiles because the type of an event says what its data is, and only then. */
function summarize(event: Event): string {
  // @ts-expect-error -- not every event is about a name
  const unknown: unknown = event.data.domain;
  switch (event.type) {
    case 'watchlist.available':
    case 'watchlist.status_changed':
    case 'watchlist.phase_changed': {
      const move: string = event.data.move;
      return `${event.data.domain}: ${move}`;
    }
    case 'watchlist.expiring': {
      const days: number = event.data.threshold_days;
      return `${event.data.domain}: ${days}`;
    }
    case 'watchlist.check_failing':
    case 'watchlist.check_recovered':
      // @ts-expect-error -- that is a field of channel.disabled
      return `${event.data.domain}: ${event.data.code}${event.data.reason ?? ''}`;
    case 'watchlist.record_changed':
      return `${event.data.kind}: ${JSON.stringify(event.data.after)}`;
    case 'watchlist.drift_changed':
      return `${event.data.drift.join()}: ${JSON.stringify(event.data.actual)}`;
    case 'watchlist.summary':
      return `${event.data.expires_within_30_days.count} of ${event.data.names}`;
    case 'channel.disabled':
      return event.data.reason;
    case 'channel.test':
      return `${event.data.message}${typeof unknown}`;
    // @ts-expect-error -- there is no such event
    case 'watchlist.gone':
      return '';
  }
}

const errorOf = ({ error }: { error?: unknown }) => error;

/** A server that is not ours, such as a proxy on the way. */
const elsewhere = async (listener: RequestListener) => {
  const listening = await Listening.on(createServer(listener));
  return { url: `http://${listening.host}`, close: () => listening.close() };
};

describe('the TypeScript client', () => {
  it('can make the six API calls that the README shows', async () => {
    const { data: checked } = await checkDomain({ client, query: { domain: 'available.test' } });
    expect(checked).toMatchObject({ domain: 'available.test', available: true, expires_at: null });

    const added = await addToWatchlist({ client, body: { domain: 'expiring.test', tags: ['brand', 'a&b'] } });
    expect(added.response?.status).toBe(201);
    const id = added.data?.id ?? '';
    const { data: page } = await listWatchlist({ client, query: { tag: ['a&b', 'brand'], per_page: 5 } });
    expect(page).toMatchObject({ data: [{ id, domain: 'expiring.test' }], meta: { per_page: 5, total: 1 } });
    expect((await removeFromWatchlist({ client, path: { id } })).response?.status).toBe(204);

    const hook = { type: 'webhook', target: 'https://hooks.example.test/client' } as const;
    const { data: channel } = await addNotificationChannel({ client, body: hook });
    expect(channel?.secret).toMatch(/^whsec_/);
    const { data: channels } = await listNotificationChannels({ client });
    expect(channels?.data).toEqual([{ id: channel?.id, ...hook, active: true }]);
    await removeNotificationChannel({ client, path: { id: channel?.id ?? '' } });
  });

  it('returns a problem document with an error code when the API refuses a call', async () => {
    const refused = await checkDomain({ client, query: { domain: 'www.example.test' } });
    expect(refused.data).toBeUndefined();
    expect(errorOf(refused)).toMatchObject({ code: 'not_registrable', registrable_domain: 'example.test' });
    const missing = await getWatchlistEntry({ client, path: { id: 'wl_/../?x#y' } });
    expect(errorOf(missing)).toMatchObject({ code: 'not_found', instance: '/v1/watchlist/wl_%2F..%2F%3Fx%23y' });
    const stranger = namewatch({ url, key: 'nw_unknown' });
    expect(errorOf(await listWatchlist({ client: stranger }))).toMatchObject({ code: 'invalid_token' });
  });

  it('throws the problem document of a refused call if the option throwOnError is set', async () => {
    const asked = checkDomain({ client, query: { domain: 'timeout.test' }, throwOnError: true });
    await expect(asked).rejects.toMatchObject({ code: 'registry_timeout', retryable: true });
  });

  it('throws an exception when it gets no response, or a response that Namewatch did not send', async () => {
    const asking = (at: string, signal?: AbortSignal) =>
      checkDomain({
        client: namewatch({ url: at, key: 'nw_any' }),
        query: { domain: 'available.test' },
        ...(signal ? { signal } : {}),
      });
    const closed = await elsewhere((_, reply) => reply.end());
    await closed.close();
    const down = asking(closed.url);
    await expect(down).rejects.toBeInstanceOf(NetworkError);
    await expect(down).rejects.toMatchObject({
      url: expect.stringContaining(closed.url),
      cause: expect.objectContaining({ message: 'fetch failed' }),
    });

    const broken = await elsewhere((_, reply) => {
      reply.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{"domain"');
      setImmediate(() => reply.destroy());
    });
    await expect(asking(broken.url)).rejects.toBeInstanceOf(NetworkError);
    await broken.close();

    for (const [status, type, body] of [
      [502, 'text/html', '<h1>Bad Gateway</h1>'],
      [503, 'application/json', '{"message":"no upstream"}'],
      [504, 'text/plain', ''],
      [200, 'application/json', '<html>'],
    ] as const) {
      const proxy = await elsewhere((_, reply) => reply.writeHead(status, { 'content-type': type }).end(body));
      const refused = asking(proxy.url);
      await expect(refused).rejects.toBeInstanceOf(UnexpectedAnswerError);
      await expect(refused).rejects.toMatchObject({ response: expect.objectContaining({ status }) });
      await proxy.close();
    }
    const reason = new Error('enough');
    await expect(asking(url, AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it('receives a new event from the event stream', async () => {
    const { data: before } = await listEvents({ client });
    const leaving = new AbortController();
    const headers = { 'Last-Event-ID': before?.meta.next ?? '' };
    const { stream } = await streamEvents({ client, headers, signal: leaving.signal });
    await addToWatchlist({ client, body: { domain: 'followed--available.test' } });
    const { value } = await stream.next();
    expect(value).toMatchObject({ type: 'watchlist.available', data: { domain: 'followed--available.test' } });
    expect(value && summarize(value)).toBe('followed--available.test: discovered');
    const { data: page } = await listEvents({ client });
    expect(page?.data.map(summarize)).toEqual(expect.arrayContaining(['followed--available.test: discovered']));
    leaving.abort();
    await stream.return(undefined);
  });
});
