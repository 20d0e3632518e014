import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { startTestService, type TestService } from '../../support/servers/test-service.js';

interface Entry {
  readonly id: string;
  readonly domain: string;
  readonly status: string;
  readonly last_checked_at: string | null;
  readonly details?: Record<string, unknown>;
  readonly failing?: { readonly since: string; readonly code: string } | null;
}

const NAMES = [
  { domain: 'a--expiring.test', tags: ['brand', 'eu'] },
  { domain: 'b--available.test', tags: ['brand'] },
  { domain: 'c--registered.test', tags: ['eu'] },
  { domain: 'ab--redemption.test', tags: [] },
];

const NAMES_BY_DOMAIN = [...NAMES].sort((one, other) => (one.domain < other.domain ? -1 : 1));

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  for (const body of NAMES) await service.call({ method: 'POST', path: '/v1/watchlist', body });
  await eventually(
    () => list('per_page=100'),
    ({ entries }) => entries.every(({ last_checked_at }) => last_checked_at !== null),
  );
});
afterAll(() => service.close());

async function list(query: string, key = service.account.key) {
  const { status, body, headers } = await service.call({ path: `/v1/watchlist?${query}`, key });
  const entries = (body['data'] ?? []) as Entry[];
  return { status, body, link: headers['link'], entries, names: entries.map(({ domain }) => domain.split('--')[0]) };
}

describe('the list', () => {
  it.each([
    ['sort=domain', ['a', 'ab', 'b', 'c']],
    ['sort=-domain', ['c', 'b', 'ab', 'a']],
    ['sort=created_at', ['a', 'b', 'c', 'ab']],
    ['', ['ab', 'c', 'b', 'a']],
    ['sort=status', ['b', 'a', 'ab', 'c']],
    ['sort=expires_at&status=expiring', ['a']],
    ['domain=a', ['ab', 'a']],
    ['domain=A', ['ab', 'a']],
    ['domain=a-', ['a']],
    ['domain=%25', []],
    ['tag=brand', ['b', 'a']],
    ['tag=brand&tag=eu', ['a']],
    ['tag=brand&tag=us', []],
    ['tag=eu&status=registered&domain=c&sort=-expires_at', ['c']],
  ])('with ?%s has %j', async (query, names) => {
    const { names: found, body } = await list(query);
    expect(found).toEqual(names);
    expect(body['meta']).toMatchObject({ total: names.length });
  });

  it('shows all of its entries in one response with ?expand=details', async () => {
    const { entries } = await list('sort=domain&expand=details,failing');
    for (const { details, failing: _failing, ...listed } of entries) {
      const { body } = await service.call({ path: `/v1/watchlist/${listed.id}` });
      expect({ ...listed, ...details }).toEqual(body);
    }
    expect(entries.map(({ details }) => details?.['tags'])).toEqual(NAMES_BY_DOMAIN.map(({ tags }) => tags));
  });

  it('sorts by facts of the names, with unknown values first or last', async () => {
    const { entries, body } = await list('sort=-expires_at');
    expect(entries.at(-1)?.domain).toBe('b--available.test');
    expect((await list('sort=expires_at')).entries.map(({ domain }) => domain)).toEqual(
      entries.map(({ domain }) => domain).toReversed(),
    );
    expect(body['meta']).toEqual({ page: 1, per_page: 20, total: 4 });
    expect((await list('sort=last_checked_at')).entries).toHaveLength(4);
  });

  it.each(['sort=', 'domain=', 'tag=', 'status=reserved'])('rejects ?%s', async (query) => {
    const { status, body } = await list(query);
    expect([status, body['code']]).toEqual([400, 'invalid_request']);
  });

  it('links to its other pages, with all other parameters kept', async () => {
    expect((await list('per_page=1&page=2&sort=domain&tag=eu')).link).toBe(
      [
        '</v1/watchlist?per_page=1&page=1&sort=domain&tag=eu>; rel="first"',
        '</v1/watchlist?per_page=1&page=1&sort=domain&tag=eu>; rel="prev"',
        '</v1/watchlist?per_page=1&page=2&sort=domain&tag=eu>; rel="last"',
      ].join(', '),
    );
    expect((await list('per_page=3')).link).toContain('</v1/watchlist?per_page=3&page=2>; rel="next"');
    expect((await list('page=9')).link).toContain('</v1/watchlist?page=1>; rel="prev"');
  });

  it('shows evidence and lifecycle only when expanded', async () => {
    const plain = (await list('domain=a-')).entries[0] as object;
    expect(Object.keys(plain)).toEqual(['id', 'domain', 'status', 'interval_minutes', 'last_checked_at', 'created_at']);
    const { entries } = await list('domain=ab&expand=lifecycle,evidence');
    expect(entries).toMatchObject([
      {
        status: 'pending_delete',
        lifecycle: { phase: 'redemption', registrable: 'no', drop_window: null },
        evidence: [{ source: 'sandbox', outcome: 'found' }],
      },
    ]);
    const { id } = entries[0] as unknown as { id: string };
    const { body } = await service.call({ path: `/v1/watchlist/${id}?expand=evidence` });
    expect(body).toMatchObject({ phase: 'redemption', evidence: [{ source: 'sandbox' }] });
    expect(body).not.toHaveProperty('lifecycle');
  });
});

describe('a name whose registry never answered', () => {
  it('has no last_checked_at in list, entry and export; the list shows why with expand=failing, the entry always', async () => {
    const { key } = await service.openAccount();
    for (const domain of ['d--unreachable.test', 'd--registered.test'])
      await service.call({ method: 'POST', path: '/v1/watchlist', body: { domain }, key });
    const { entries } = await eventually(
      () => list('sort=last_checked_at&expand=failing', key),
      ({ entries: [first, second] }) => Boolean(first?.failing) && Boolean(second?.last_checked_at),
    );
    const failing = { since: expect.any(String), code: 'registry_unreachable' };
    expect(entries).toMatchObject([
      { domain: 'd--unreachable.test', status: 'registered', last_checked_at: null, failing },
      { domain: 'd--registered.test', status: 'registered', failing: null },
    ]);
    expect(Object.keys(entries[0]?.failing ?? {})).toEqual(['since', 'code']);
    expect((await list('sort=-last_checked_at', key)).entries.at(-1)).toMatchObject({ domain: 'd--unreachable.test' });
    expect((await list('', key)).entries[0]).not.toHaveProperty('failing');

    const { body } = await service.call({ path: `/v1/watchlist/${entries[0]?.id}?expand=failing`, key });
    expect(body).toMatchObject({ last_checked_at: null, failing: { ...failing, failures: expect.any(Number) } });
    const { body: file } = await service.call({ path: '/v1/watchlist/export?format=csv', key });
    expect(file['text']).toMatch(/^d--unreachable\.test,360,30,,,monitor,+\r?$/m);
  });
});
