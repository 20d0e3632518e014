import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { startTestService, type TestService } from '../../support/servers/test-service.js';

interface Entry {
  readonly id: string;
  readonly domain: string;
  readonly status: string;
  readonly last_checked_at: string | null;
  readonly details?: Record<string, unknown>;
  readonly phases?: readonly { readonly phase: string; readonly since: string }[];
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

describe('the watchlist', () => {
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
  ])('answers the query ?%s with the names %j, in this order', async (query, names) => {
    const { names: found, body } = await list(query);
    expect(found).toEqual(names);
    expect(body['meta']).toMatchObject({ total: names.length });
  });

  it('contains every field of each entry if the request has ?expand=details', async () => {
    const { entries } = await list('sort=domain&expand=details,failing');
    for (const { details, failing: _failing, ...listed } of entries) {
      const { body } = await service.call({ path: `/v1/watchlist/${listed.id}` });
      expect({ ...listed, ...details }).toEqual(body);
    }
    expect(entries.map(({ details }) => details?.['tags'])).toEqual(NAMES_BY_DOMAIN.map(({ tags }) => tags));
  });

  it('contains the last year’s phases of each entry with ?expand=phases, and no older ones', async () => {
    const phasesOf = async () => (await list('domain=a--&expand=phases')).entries[0]?.phases;
    const since = expect.stringMatching(/Z$/);
    expect(await phasesOf()).toEqual([{ phase: 'expiring', since }]);
    await service.query(
      `update watch_history h set change_seq = h.change_seq + 10 from watch_entries e
       where e.id = h.entry_id and e.domain = 'a--expiring.test' and h.last_seen_at is null`,
    );
    await service.query(
      `insert into watch_history (entry_id, change_seq, status, phase, move, first_seen_at, last_seen_at, evidence)
       select e.id, 2 + n, 'registered', v.phase, 'renewed', now() - n * interval '200 days', now() - n * interval '190 days', '[]'
       from watch_entries e, (values (1, 'registered'), (2, 'hold')) as v(n, phase) where e.domain = 'a--expiring.test'`,
    );
    expect((await phasesOf())?.map(({ phase }) => phase)).toEqual(['registered', 'expiring']);
  });

  it('sorts by expiry date, and with soonest_expiry puts names without a date last', async () => {
    const { entries, body } = await list('sort=-expires_at');
    expect(entries.at(-1)?.domain).toBe('b--available.test');
    expect((await list('sort=expires_at')).entries.map(({ domain }) => domain)).toEqual(
      entries.map(({ domain }) => domain).toReversed(),
    );
    const unknown = ({ domain }: Entry) => domain === 'b--available.test';
    const soonest = entries.toReversed();
    const undatedLast = [...soonest.filter((entry) => !unknown(entry)), ...soonest.filter(unknown)];
    expect((await list('sort=soonest_expiry')).entries).toEqual(undatedLast);
    const pages = await Promise.all([1, 2, 3].map((page) => list(`sort=soonest_expiry&per_page=2&page=${page}`)));
    expect(pages.flatMap((page) => page.entries)).toEqual(undatedLast);
    expect(body['meta']).toEqual({ page: 1, per_page: 20, total: 4 });
    expect((await list('sort=last_checked_at')).entries).toHaveLength(4);
  });

  it.each(['sort=', 'domain=', 'tag=', 'status=reserved'])('refuses the invalid query ?%s with 400', async (query) => {
    const { status, body } = await list(query);
    expect([status, body['code']]).toEqual([400, 'invalid_request']);
  });

  it('links to its other pages in the Link header, and keeps all query parameters', async () => {
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

  it('shows evidence and lifecycle only if ?expand= names them', async () => {
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

describe('a name without any registry answer yet', () => {
  it('has an empty last_checked_at everywhere, and shows the failure code with ?expand=failing', async () => {
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

describe('the watchlist search and summary', () => {
  const WATCHES = [
    {
      domain: 'bücher--registered.test',
      tags: ['Küche', '50%_off'],
      note: 'Vertrag mit <b>Ägidius</b> \\o/',
      purpose: 'own',
    },
    { domain: 'wanted--available.test', tags: ['Küche'], purpose: 'acquire' },
    { domain: 'soon--expiring.test', tags: ['brand'], expected: { nameservers: ['ns1.other.test'] } },
    { domain: 'late--expired-grace.test', expected: { nameservers: ['ns1.sandbox.test', 'ns2.sandbox.test'] } },
    { domain: 'lost--redemption.test', purpose: 'own' },
    { domain: 'deaf--unreachable.test', note: 'first line\nsecond line' },
    { domain: 'calm--registered.test', paused: true, purpose: 'acquire' },
  ];
  const LISTED = ['calm', 'deaf', 'lost', 'late', 'soon', 'wanted', 'xn'];
  let key: string;
  const find = async (query: string) => list(query, key);
  const summary = async (withKey = key) =>
    (await service.call({ path: '/v1/watchlist/summary', key: withKey })).body as {
      entries: number;
      action_needed: Record<string, number | null>;
      statuses: Record<string, number>;
      expires_by_month: { month: string; own: number; other: number }[];
    };

  beforeAll(async () => {
    ({ key } = await service.openAccount());
    for (const body of WATCHES) await service.call({ method: 'POST', path: '/v1/watchlist', body, key });
    const unanswered = async () => (await find('answered=false&paused=false')).names;
    await eventually(unanswered, (names) => names.length === 1); // that of the unreachable registry
    await eventually(summary, ({ action_needed: needs }) => needs['failing'] === 1);
  });

  it.each([
    ['search=büch', ['xn']],
    ['search=BÜCHER--REG', ['xn']],
    ['search=xn--bcher', ['xn']],
    ['search=ED.TEST', ['calm', 'xn']],
    ['search=küch', ['wanted', 'xn']],
    ['search=%_', ['xn']],
    ['search=\\', ['xn']],
    ['search=_', ['xn']],
    ['search=%', ['xn']],
    ['search=<b>ä', ['xn']],
    ['search=second', ['deaf']],
    ['search=registered&paused=false', ['xn']],
    ['search=\u202etest', []],
    ['phase=expired_grace', ['late']],
    ['phase=redemption', ['lost']],
    ['purpose=own', ['lost', 'xn']],
    ['failing=true', ['deaf']],
    ['failing=false', LISTED.filter((name) => name !== 'deaf')],
    ['answered=false', ['calm', 'deaf']],
    ['answered=false&paused=false&sort=last_checked_at', ['deaf']],
    ['answered=true&tag=brand&sort=-last_checked_at', ['soon']],
    ['drift=true', ['soon']],
    ['drift=false&phase=expired_grace', ['late']],
    ['paused=true', ['calm']],
    ['expires_within_days=30', ['soon']],
    ['expires_within_days=3650&purpose=own&sort=domain', ['lost', 'xn']],
    ['operator=sandbox', LISTED],
    ['operator=verisign', []],
    ['operator=.test', []],
    ['status=available&purpose=acquire', ['wanted']],
    ['expires_in_month=1999-12', []],
  ])('finds with the query ?%s exactly the names %j', async (query, names) => {
    const { names: found, body } = await find(new URLSearchParams(query.replaceAll('%', '%25')).toString());
    expect([...found].sort()).toEqual([...names].sort());
    expect(body['meta']).toMatchObject({ total: names.length });
  });

  it.each([
    'search=',
    'search=%00',
    'search=a%0Ab',
    `search=${'a'.repeat(254)}`,
    'search=a&search=b',
    'phase=reserve',
    'purpose=OWN',
    'failing=yes',
    'answered=',
    'drift=1',
    'paused=null',
    'expires_within_days=0',
    'expires_within_days=1e3',
    'expires_within_days=-30',
    'expires_in_month=2027-13',
    'expires_in_month=2027-3',
    'expires_in_month=2027-03-01',
    'sort=-soonest_expiry',
    'operator=%00',
    'tags=brand',
  ])('refuses the invalid query ?%s with 400', async (query) => {
    const { status, body } = await find(query);
    expect([status, body['code']]).toEqual([400, 'invalid_request']);
  });

  it('counts entries that need action, and each count equals the total of the matching filter', async () => {
    const { entries, action_needed: needs } = await summary();
    expect(entries).toBe(WATCHES.length);
    const lists = {
      lost: 'status=available&purpose=own',
      about_to_be_deleted: 'phase=pending_delete&purpose=own',
      expires_within_30_days: 'expires_within_days=30',
      in_grace: 'phase=expired_grace',
      in_redemption: 'phase=redemption',
      failing: 'failing=true',
      never_answered: 'answered=false',
      not_as_expected: 'drift=true',
      available_and_wanted: 'status=available&purpose=acquire',
    };
    const totals = await Promise.all(
      Object.entries(lists).map(async ([need, query]) => {
        const { body } = await find(`${query}&paused=false`);
        return [need, (body['meta'] as { total: number }).total];
      }),
    );
    expect(needs).toEqual({ ...Object.fromEntries(totals), failing_channels: 0 });
    expect(Object.keys(needs).slice(0, 3)).toEqual(['lost', 'about_to_be_deleted', 'available_and_wanted']);
    expect(Object.values(needs)).toEqual([0, 0, 1, 1, 1, 1, 1, 1, 1, 0]);
  });

  it('counts entries by status and expiry month, and each count equals the matching filter’s total', async () => {
    const { statuses, expires_by_month: months } = await summary();
    for (const [status, count] of Object.entries(statuses))
      expect([status, (await find(`status=${status}`)).names.length]).toEqual([status, count]);
    expect(Object.values(statuses).reduce((sum, count) => sum + count, 0)).toBe(WATCHES.length);
    expect(new Set(months.map(({ month }) => month)).size).toBe(12);
    for (const { month, own, other } of months) {
      const { body } = await find(`expires_in_month=${month}&paused=false`);
      const { body: ofOwn } = await find(`expires_in_month=${month}&paused=false&purpose=own`);
      expect([month, body['meta'], ofOwn['meta']]).toMatchObject([month, { total: own + other }, { total: own }]);
    }
    expect(months.some(({ own, other }) => own + other > 0)).toBe(true);
  });

  it('counts failing channels except disabled ones, and only for keys that may read channels', async () => {
    const post = async (path: string, body: object) => (await service.call({ method: 'POST', path, body, key })).body;
    const channels = '/v1/notifications';
    const { id } = await post(channels, { type: 'webhook', target: 'https://hooks.example.test/off' });
    await post(channels, { type: 'email', target: 'team@example.test' }); // the service has no mail relay
    await service.call({ method: 'PATCH', path: `${channels}/${String(id)}`, body: { active: false }, key });
    expect((await summary()).action_needed['failing_channels']).toBe(1);
    const { key: readOnly } = await post('/v1/keys', { name: 'list only', scopes: ['watchlist:read'] });
    expect((await summary(String(readOnly))).action_needed['failing_channels']).toBeNull();
  });

  it('exports only the entries that match the search', async () => {
    const { body } = await service.call({ path: '/v1/watchlist/export?search=k%C3%BCche&format=csv', key });
    const [, ...lines] = String(body['text']).trim().split('\r\n');
    expect(lines.map((line) => line.split(',')[0])).toEqual([
      'wanted--available.test',
      'xn--bcher--registered-22b.test',
    ]);
  });

  it('lists tags with the most frequent first, or only tags that contain a text', async () => {
    const tags = async (query: string) => (await service.call({ path: `/v1/watchlist/tags?${query}`, key })).body;
    expect(await tags('per_page=2')).toEqual({
      data: [
        { tag: 'Küche', entries: 2 },
        { tag: '50%_off', entries: 1 },
      ],
      meta: { page: 1, per_page: 2, total: 3 },
    });
    expect(await tags('per_page=2&page=2')).toMatchObject({ data: [{ tag: 'brand' }], meta: { total: 3 } });
    expect(await tags('per_page=2&page=3')).toMatchObject({ data: [], meta: { total: 3 } });
    expect(await tags('search=%25')).toMatchObject({ data: [{ tag: '50%_off' }], meta: { total: 1 } });
    expect(await tags('search=k%C3%9CCHE')).toMatchObject({ data: [{ tag: 'Küche' }] });
    expect(await tags('search=%00')).toMatchObject({ code: 'invalid_request' });
  });

  it('finds an entry by its very long note or its tags until they are removed', async () => {
    const { entries } = await find('paused=true');
    const change = (body: object) =>
      service.call({ method: 'PATCH', path: `/v1/watchlist/${entries[0]?.id}`, body, key });
    const found = async () => {
      const { body } = await service.call({ path: '/v1/watchlist/tags?search=lang', key });
      return [
        (await find('search=%C3%84GYPTEN')).names,
        (await find('tag=Lang&tag=brand')).names,
        (await find('tag=lang')).names,
        body['data'],
      ];
    };
    await change({ note: `${'語'.repeat(990)} Ägypten`, tags: ['brand', 'Lang'] });
    expect(await found()).toEqual([['calm'], ['calm'], [], [{ tag: 'Lang', entries: 1 }]]);
    await change({ note: 'ägypten' });
    expect(await found()).toEqual([['calm'], ['calm'], [], [{ tag: 'Lang', entries: 1 }]]);
    await change({ note: null, tags: [] });
    expect(await found()).toEqual([[], [], [], []]);
  });

  it('lists the registry operators of the account’s names', async () => {
    const { body } = await service.call({ path: '/v1/watchlist/operators', key });
    expect(body).toEqual({ data: [{ operator: 'sandbox', tlds: ['test'], entries: WATCHES.length, failing: 1 }] });
  });
});
