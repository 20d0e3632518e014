import { describe, expect, it } from '@jest/globals';
import { running } from '../../support/running.js';
import { startTestService } from '../../support/servers/test-service.js';

interface Item {
  readonly domain: string;
  readonly result: Record<string, unknown> | null;
  readonly error: Record<string, unknown> | null;
}

const service = running(() => startTestService({ ROLE: 'api' }));

const check = (body: unknown, query = '', key = service.account.key) =>
  service.call({ method: 'POST', path: `/v1/domains/check${query}`, body, key });
const itemsOf = async (domains: string[], query = '') => {
  const { status, body } = await check({ domains }, query);
  expect(status).toBe(200);
  return body['data'] as Item[];
};

describe('a check of many names', () => {
  it('answers each name in the order sent, with a result or an error', async () => {
    const domains = ['available.test', 'timeout.test', 'co.uk', 'Registered.TEST.', 'not a name', 'garbage.test'];
    const { status, body } = await check({ domains });
    expect(status).toBe(200);
    expect(body['meta']).toEqual({ total: 6, answered: 2, failed: 4 });
    const items = body['data'] as Item[];
    expect(items.map(({ domain }) => domain)).toEqual(domains);
    expect(items.map(({ result, error }) => result?.['status'] ?? error?.['code'])).toEqual([
      'available',
      'registry_timeout',
      'domain_is_public_suffix',
      'registered',
      'domain_malformed',
      'registry_answer_unusable',
    ]);
    for (const { result, error } of items) expect([result, error].filter((one) => one === null)).toHaveLength(1);
    expect(items[2]?.error).toMatchObject({ status: 422, errors: [{ pointer: '/domains/2' }] });
  });

  it('returns the same result as a single check of the name', async () => {
    const [item] = await itemsOf(['expiring.test'], '?expand=lifecycle,evidence,record');
    const alone = await service.call({
      path: '/v1/domains/check?domain=expiring.test&expand=lifecycle,evidence,record',
    });
    const times = /"\d{4}-\d\d-\d\dT[^"]+"/g;
    expect(JSON.stringify(item?.result).replace(times, '""')).toBe(JSON.stringify(alone.body).replace(times, '""'));
  });

  it('answers repeated names, in any spelling, from one lookup', async () => {
    const items = await itemsOf(['flapping.test', 'available.test', 'FLAPPING.test', 'flapping.test.']);
    const [one, , two, three] = items.map(({ result }) => result);
    expect([two, three]).toEqual([one, one]);
  });

  it('refuses a URL or mail address, but tells the registrable domain in it', async () => {
    const items = await itemsOf(['https://www.registered.test/a?b', 'info@mail.registered.test', 'https://localhost/']);
    expect(items.map(({ error }) => [error?.['code'], error?.['registrable_domain']])).toEqual([
      ['domain_malformed', 'registered.test'],
      ['domain_malformed', 'registered.test'],
      ['domain_malformed', undefined],
    ]);
  });

  it('streams each result once known, with its position, and the counts at the end', async () => {
    const domains = ['available.test', 'not a name', 'timeout.test', 'available.test'];
    const { body, headers } = await service.call({
      method: 'POST',
      path: '/v1/domains/check',
      body: { domains },
      headers: { accept: 'application/x-ndjson' },
    });
    expect(headers['content-type']).toBe('application/x-ndjson');
    const lines = String(body['text'])
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Item & { index: number });
    expect(lines.pop()).toEqual({ meta: { total: 4, answered: 2, failed: 2 } });
    expect(lines[0]).toMatchObject({ index: 1, domain: 'not a name', error: { code: 'domain_malformed' } });
    const outcomes = lines.sort((one, other) => one.index - other.index);
    expect(outcomes.map(({ domain, result, error }) => [domain, result?.['status'] ?? error?.['code']])).toEqual([
      ['available.test', 'available'],
      ['not a name', 'domain_malformed'],
      ['timeout.test', 'registry_timeout'],
      ['available.test', 'available'],
    ]);
  });

  it('shows with expand=entry which names the account watches, if the key may read the watchlist', async () => {
    const { key } = await service.openAccount();
    const domain = 'entry--registered.test';
    const added = await service.call({ method: 'POST', path: '/v1/watchlist', body: { domain }, key });
    const items = (await check({ domains: [domain, 'available.test'] }, '?expand=entry', key)).body['data'] as Item[];
    expect(items.map(({ result }) => result?.['entry_id'])).toEqual([added.body['id'], null]);
    const alone = { path: `/v1/domains/check?domain=${domain}&expand=entry` };
    expect((await service.call({ ...alone, key })).body).toMatchObject({ entry_id: added.body['id'] });
    expect((await service.call(alone)).body).toMatchObject({ entry_id: null });
    const body = { name: 'checks only', scopes: ['domains:read'] };
    const issued = await service.call({ method: 'POST', path: '/v1/keys', body, key });
    expect(await service.call({ ...alone, key: String(issued.body['key']) })).toMatchObject({
      status: 403,
      body: { code: 'insufficient_scope' },
    });
  });

  it('accepts as many names as the plan allows, and no more', async () => {
    const { key } = await service.openAccount('free');
    const names = (count: number) => Array.from({ length: count }, (_, n) => `n${n}--available.test`);
    expect((await check({ domains: names(20) }, '', key)).body['meta']).toEqual({ total: 20, answered: 20, failed: 0 });
    expect(await check({ domains: names(21) }, '', key)).toMatchObject({
      status: 422,
      body: { code: 'too_many_domains', limit: 20, errors: [{ pointer: '/domains' }] },
    });
    expect((await check({ domains: names(1_000) })).body['meta']).toMatchObject({ answered: 1_000 });
  });

  it.each<[string, unknown, string]>([
    ['no names', {}, '/domains'],
    ['an empty list', { domains: [] }, '/domains'],
    ['a label without suffixes', { label: 'a' }, '/tlds'],
    ['suffixes without a label', { tlds: ['test'] }, '/label'],
    ['names and a label', { domains: ['a.test'], label: 'a' }, '/label'],
    ['names and suffixes', { domains: ['a.test'], tlds: ['test'] }, '/tlds'],
  ])('is refused with 400 if its body has %s', async (_, body, pointer) => {
    expect(await check(body)).toMatchObject({ status: 400, body: { errors: [{ pointer }] } });
  });

  it('checks one label under each suffix, and explains each suffix that it cannot check', async () => {
    const tlds = ['test', 'github.io', 'co.uk', 'below.test', 'nowhere', 'test'];
    const { status, body } = await check({ label: 'Available', tlds });
    expect(status).toBe(200);
    const items = body['data'] as Item[];
    expect(items.map(({ domain }) => domain)).toEqual(tlds.map((tld) => `Available.${tld}`));
    const outcomes = items.map(({ result, error }) => result?.['status'] ?? error?.['code']);
    expect(outcomes).toEqual([
      'available',
      'domain_private_suffix',
      'tld_unsupported', // a public suffix, but no registry is configured here
      'not_registrable',
      'tld_unsupported',
      'available',
    ]);
    expect(items[0]?.result).toMatchObject({ domain: 'available.test' });
    expect(items[1]?.error).toMatchObject({ errors: [{ pointer: '/tlds/1' }] });
  });

  it('accepts the label in Unicode or in Punycode, with the same result', async () => {
    const answers = await Promise.all(
      ['bücher', 'XN--BCHER-KVA', ' bücher '].map((label) => check({ label, tlds: ['test'] })),
    );
    const [first] = answers.map(({ body }) => (body['data'] as Item[])[0]?.result?.['domain']);
    expect(first).toBe('xn--bcher-kva.test');
    expect(new Set(answers.map(({ body }) => (body['data'] as Item[])[0]?.result?.['domain'])).size).toBe(1);
  });

  it.each([
    ['a name', 'example.com', 'domain_malformed'],
    ['a name with an ideographic full stop', 'example。com', 'domain_malformed'],
    ['empty text', '', 'domain_malformed'],
    ['text with a hyphen at its end', 'a-', 'domain_malformed'],
    ['64 letters', 'a'.repeat(64), 'label_too_long'],
    ['2000 letters', 'ü'.repeat(2_000), 'label_too_long'],
  ])('rejects %s as a label', async (_, label, code) => {
    const answer = await check({ label, tlds: ['test'] });
    expect(answer).toMatchObject({ status: 422, body: { code, errors: [{ pointer: '/label' }] } });
  });

  it('is refused with more suffixes than the plan allows', async () => {
    const { key } = await service.openAccount('free');
    const answer = await check({ label: 'available', tlds: Array(21).fill('test') }, '', key);
    expect(answer).toMatchObject({ status: 422, body: { code: 'too_many_domains', errors: [{ pointer: '/tlds' }] } });
  });
});

describe('the variants of a name', () => {
  const variants = (query: string) => service.call({ path: `/v1/domains/variants?domain=${query}` });
  const dataOf = async (query: string) => (await variants(query)).body['data'] as Record<string, unknown>[];

  it('are of the requested kinds, with lookalike letters before typos', async () => {
    const [first] = await dataOf('ab.test&kind=typo');
    expect(first).toEqual({ domain: 'b.test', domain_unicode: 'b.test', kind: 'typo' });
    expect(await dataOf('bucher.test&kind=homoglyph')).toContainEqual({
      domain: 'xn--bcher-kva.test',
      domain_unicode: 'b\u00fccher.test',
      kind: 'homoglyph',
    });
    const kinds = (await dataOf('ab.test&kind=homoglyph&kind=typo&max=1000')).map(({ kind }) => kind);
    expect([kinds[0], kinds.at(-1)]).toEqual(['homoglyph', 'typo']);
  });

  it('are at most 100 by default, and more if requested', async () => {
    expect(await dataOf(`${'a'.repeat(63)}.test`)).toHaveLength(100);
    expect((await dataOf(`${'abcdefghi'.repeat(7)}.test&max=1000`)).length).toBeGreaterThan(400);
  });

  it.each([
    ['www.ab.test', 422, 'not_registrable'],
    ['co.uk', 422, 'domain_is_public_suffix'],
    ['ab.test&kind=none', 400, 'invalid_request'],
    ['ab.test&max=1001', 400, 'invalid_request'],
    ['ab.test&tld=', 400, 'invalid_request'],
  ])('are refused for this query: %s', async (query, status, code) => {
    expect(await variants(query)).toMatchObject({ status, body: { code } });
  });
});
