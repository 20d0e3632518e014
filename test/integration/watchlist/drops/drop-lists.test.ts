import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { after, DAY, HOUR, MINUTE } from '../../../../src/kernel/clock.js';
import { FollowDropLists } from '../../../../src/watchlist/drops/drop-lists.js';
import { australianList, nominetList, swedishList } from '../../../support/builders/drop-lists.js';
import { FakeRegistry } from '../../../world/registry.js';
import { runService } from '../run-service.js';

const from = new Date();
const inMs = (ms: number) => after(from, ms).toISOString();
let server: FakeRegistry;
const { running, call, query, part } = runService(async () => {
  server = await FakeRegistry.start();
  return {
    ROLE: 'api',
    DROP_LISTS: `uk=http://${server.host}/uk.csv.gz,se=http://${server.host}/se.json,au=http://${server.host}/au`,
  };
});
afterAll(() => server.stop());
beforeEach(async () => {
  server.requests.length = 0;
  await query('truncate drop_lists, drop_listings, watched_names cascade');
});

/** With its checksum beside it, and answers to conditional requests. */
const publish = (path: string, body: Buffer) => {
  const checksum = createHash('sha256').update(body).digest('hex');
  const etag = `"${checksum.slice(0, 16)}"`;
  server.serves(path, (reply, headers) => {
    if (headers['if-none-match'] === etag) reply.writeHead(304).end();
    else reply.writeHead(200, { etag }).end(body);
  });
  server.serves(`${path}.sha256`, (reply) => reply.end(`${checksum}  ${path.slice(1)}\n`));
};

/** Watched names whose next routine check is in a day; those that fail have a backoff of an hour. */
const watch = (names: string, failures = 0) =>
  query(
    `insert into watched_names (domain, operator, interval_minutes, next_check_at, revision, failures)
     select name, 'registry', 1440, $2, 1, $3 from unnest(string_to_array($1, ' ')) as name`,
    [names, inMs(failures > 0 ? HOUR : DAY), failures],
  );
const refresh = async () => {
  await query("update drop_lists set next_fetch_at = now() - interval '1 second'");
  await part(FollowDropLists).refreshAll();
};
const listed = async () => {
  const { rows } = await query<{ domain: string }>('select domain from drop_listings order by domain');
  return rows.map(({ domain }) => domain);
};
/** The names that are due at once. */
const due = async () => {
  const { rows } = await query<{ domain: string }>(
    "select domain from watched_names where next_check_at <= now() + interval '10 seconds' order by domain",
  );
  return rows.map(({ domain }) => domain);
};
const publishUk = (...names: string[]) =>
  publish('/uk.csv.gz', nominetList(...names.map((name) => [name, inMs(2 * DAY)] as const)));

describe('a registry’s list of names to be deleted', () => {
  it('is stored without the names that nobody watches', async () => {
    await watch('one.co.uk two.se three.net.au four.com.au five.uk');
    publishUk('one.co.uk', 'unwatched.uk');
    publish(
      '/se.json',
      swedishList(['two.se', inMs(9 * DAY).slice(0, 10)], ['unwatched.se', inMs(9 * DAY).slice(0, 10)]),
    );
    const tomorrow = inMs(DAY).slice(0, 10);
    publish('/au/expired', australianList([tomorrow, '01:00:00', 'three.net.au']));
    publish('/au/deleted', australianList([tomorrow, '01:00:00', 'four.com.au']));
    await refresh();
    expect(await listed()).toEqual(['four.com.au', 'one.co.uk', 'three.net.au', 'two.se']);
    expect(await due()).toEqual([]);
  });

  it('is requested again only when its next fetch is due, and then with its ETag', async () => {
    publishUk('one.co.uk');
    await watch('one.co.uk');
    await refresh();
    await part(FollowDropLists).refreshAll();
    const paths = () => server.requests.filter(({ path }) => path.startsWith('/uk')).map(({ path }) => path);
    expect(paths()).toEqual(['/uk.csv.gz', '/uk.csv.gz.sha256']);
    await refresh();
    expect(paths()).toEqual(['/uk.csv.gz', '/uk.csv.gz.sha256', '/uk.csv.gz']);
    const conditional = server.requests.filter(({ path }) => path === '/uk.csv.gz').at(-1);
    expect(conditional?.headers['if-none-match']).toMatch(/^"\w+"$/);
    expect(await listed()).toEqual(['one.co.uk']);
  });

  it('makes a name due for a check if the name leaves the list early, unless its checks fail', async () => {
    await watch('stays.uk withdrawn.uk');
    await watch('failing.uk', 3);
    publishUk('stays.uk', 'withdrawn.uk', 'failing.uk');
    await refresh();
    publishUk('stays.uk', 'other.uk', 'another.uk');
    await refresh();
    expect(await listed()).toEqual(['stays.uk']);
    expect(await due()).toEqual(['withdrawn.uk']);
  });

  it('makes a name due for a check, once, when its listed deletion time is near', async () => {
    await watch('near.uk far.uk');
    const near = [['near.uk', inMs(50 * MINUTE)] as const, ['far.uk', inMs(3 * HOUR)] as const];
    publish('/uk.csv.gz', nominetList(...near));
    await refresh();
    expect(await part(FollowDropLists).beginWindows()).toBe(1);
    expect(await due()).toEqual(['near.uk']);
    expect(await part(FollowDropLists).beginWindows()).toBe(0);
  });

  it('sets when a listed name is expected to become free, and leaves its status as it is', async () => {
    const name = 'listed.example';
    await watch(name);
    running.registry.holds(name, { expiresAt: after(from, -90 * DAY), statuses: ['pending delete'] });
    await query("insert into drop_listings values ($1, 'uk', $2, now())", [name, inMs(2 * DAY)]);
    await query("insert into drop_lists values ('uk', now(), null, null, now(), 1)");
    await part(FollowDropLists).load();
    const { body } = await call({ path: `/v1/domains/check?domain=${name}&expand=lifecycle` });
    expect(body).toMatchObject({
      status: 'pending_delete',
      lifecycle: {
        drop_window: { earliest: inMs(2 * DAY), basis: expect.stringMatching(/^list: .*Nominet/), confidence: 'high' },
      },
    });
    await query('delete from drop_listings');
    await query('update drop_lists set applied_at = now()');
    await part(FollowDropLists).load();
    const later = await call({ path: `/v1/domains/check?domain=${name}&expand=lifecycle` });
    expect(later.body).toMatchObject({ status: 'pending_delete', lifecycle: { drop_window: null } });
  });
});

/** Until the reader hangs up. */
function endlessly(reply: ServerResponse, size: number): void {
  const fill = () => void (!reply.destroyed && reply.write(Buffer.alloc(size), fill));
  fill();
}

describe('a stored list of names to be deleted', () => {
  const good = nominetList(['one.co.uk', inMs(2 * DAY)], ['two.co.uk', inMs(2 * DAY)], ['three.co.uk', inMs(2 * DAY)]);
  const other = nominetList(['four.co.uk', inMs(2 * DAY)], ['five.co.uk', inMs(2 * DAY)]);
  const path = '/uk.csv.gz';
  const redirects = (location: string) => {
    publish('/moved.csv.gz', other);
    server.serves(path, (reply) => reply.writeHead(302, { location }).end());
  };

  it.each<[string, () => void]>([
    ['a list with a wrong checksum', () => server.serves(path, (reply) => reply.end(other))],
    [
      'a list without a checksum',
      () => {
        publish(path, other);
        server.serves(`${path}.sha256`, (reply) => reply.writeHead(404).end());
      },
    ],
    ['half a list', () => publish(path, other.subarray(0, other.length / 2))],
    [
      'a list that breaks off',
      () =>
        server.serves(path, (reply) => {
          reply.writeHead(200, { 'content-length': other.length });
          reply.write(other.subarray(0, 10), () => reply.destroy());
        }),
    ],
    ['a list with far fewer names', () => publish(path, nominetList(['four.co.uk', inMs(DAY)]))],
    ['a list from a year ago', () => publish(path, nominetList(['four.co.uk', inMs(-365 * DAY)]))],
    ['a redirect to a private address', () => redirects('http://169.254.169.254/latest/meta-data/')],
    ['a redirect to plain http on another host', () => redirects('http://127.0.0.1/')],
    ['a redirect to the good copy', () => redirects(`http://${server.host}/moved.csv.gz`)],
    ['an endless redirect to itself', () => redirects(`http://${server.host}${path}`)],
    [
      'a list whose checksum is a redirect',
      () => {
        publish(path, other);
        publish('/moved.csv.gz', other);
        const location = `http://${server.host}/moved.csv.gz.sha256`;
        server.serves(`${path}.sha256`, (reply) => reply.writeHead(302, { location }).end());
      },
    ],
    [
      'a list that is replaced before its checksum is read',
      () => {
        publish(path, other);
        server.serves(path, (reply) => {
          publish(path, good);
          reply.end(other);
        });
      },
    ],
    [
      'a list with an endless checksum',
      () => {
        publish(path, other);
        server.serves(`${path}.sha256`, (reply) => endlessly(reply, 4_096));
      },
    ],
    [
      'a small file that inflates to a thousand times its size',
      () => publish(path, gzipSync(Buffer.alloc(64 * 1_024 * 1_024))),
    ],
    [
      'an answer in a compression that was not requested',
      () => server.serves(path, (reply) => reply.writeHead(200, { 'content-encoding': 'br' }).end(other)),
    ],
    [
      'a list that breaks off in the middle of a chunk',
      () =>
        server.serves(path, (reply) => {
          reply.writeHead(200, { 'transfer-encoding': 'chunked' });
          reply.write(other.subarray(0, 10), () => reply.destroy());
        }),
    ],
    ['an error answer', () => server.serves(path, (reply) => reply.writeHead(503).end())],
    [
      'an answer of one gigabyte',
      () =>
        server.serves(path, (reply) => {
          reply.writeHead(200, { 'content-length': 1_073_741_824 });
          endlessly(reply, 1_048_576);
        }),
    ],
  ])('is kept if the server sends, instead of a good one: %s', async (_, misbehave) => {
    await watch('one.co.uk two.co.uk four.co.uk');
    publish(path, good);
    await refresh();
    misbehave();
    await query('update drop_lists set etag = null');
    await refresh();
    expect(await listed()).toEqual(['one.co.uk', 'two.co.uk']);
    expect(await due()).toEqual([]);
    expect(server.requests.filter((request) => request.path.startsWith('/moved'))).toEqual([]);
    publish(path, good); // the next try is a fresh one
    await refresh();
    expect(await listed()).toEqual(['one.co.uk', 'two.co.uk']);
  });
});
