import { describe, expect, it } from '@jest/globals';
import { jsonLinesOf, NDJSON } from '../../support/json-lines.js';
import { running } from '../../support/running.js';
import { startTestService } from '../../support/servers/test-service.js';

const CSV = 'text/csv';

const service = running(() => startTestService({ ROLE: 'api' }));

interface Sent {
  readonly type?: string;
  readonly query?: string;
  readonly key?: string;
  readonly accept?: string;
}
const send = (file: string | Buffer, { type = CSV, query = '', key, accept = '*/*' }: Sent = {}) =>
  service.call({
    method: 'POST',
    path: `/v1/watchlist/import${query}`,
    body: file,
    headers: { 'content-type': type, accept },
    key,
  });
const watched = async (key: string, query = 'per_page=100&sort=domain') => {
  const { body } = await service.call({ path: `/v1/watchlist?${query}`, key });
  return (body['data'] as { domain: string }[]).map(({ domain }) => domain);
};
const anAccount = async (plan?: string) => (await service.openAccount(plan)).key;
const entryOf = async (domain: string, key: string) => {
  const { body } = await service.call({ path: `/v1/watchlist?domain=${domain}`, key });
  const [{ id = '' } = {}] = body['data'] as { id?: string }[];
  return (await service.call({ path: `/v1/watchlist/${id}`, key })).body;
};
const errorsOf = (body: Record<string, unknown>) =>
  (body['errors'] as { line: number; code: string }[]).map(({ line, code }) => [line, code]);

describe('a watchlist import', () => {
  it('reads CSV columns in the order of the header, and uses defaults for empty cells', async () => {
    const key = await anAccount();
    const lines = [
      'tags,domain,interval_minutes,note,purpose,expiring_window_days',
      'brand;shop,Own.test,60,"Ours, since ""2019"".\nRenew!",own,45',
      ',plain.test,,,,',
      ',short.test',
    ];
    expect(await send(lines.join('\r\n'), { key })).toMatchObject({
      status: 200,
      body: { dry_run: false, total: 3, created: 3, existing: 0, failed: 0, errors: [] },
    });
    expect(await entryOf('own.test', key)).toMatchObject({
      interval_minutes: 60,
      expiring_window_days: 45,
      tags: ['brand', 'shop'],
      purpose: 'own',
      status: 'registered',
      note: 'Ours, since "2019".\nRenew!',
    });
    expect(await entryOf('plain.test', key)).toMatchObject({
      interval_minutes: 360,
      expiring_window_days: 30,
      tags: [],
      note: null,
      purpose: 'monitor',
    });
  });

  it('changes already watched names only with existing=update, and only the fields in the file', async () => {
    const key = await anAccount();
    await send('domain,tags,note\na.test,old,mine\nb.test,,\n', { key });
    const file = 'domain,tags\na.test,new\nb.test,\nc.test,new\na.test,newest\n';
    expect((await send(file, { key })).body).toMatchObject({ created: 1, existing: 3 });
    expect(await entryOf('a.test', key)).toMatchObject({ tags: ['old'] });
    const tried = await send(file, { key, query: '?existing=update&dry_run=true' });
    expect(tried.body).toMatchObject({ created: 0, changed: 2, existing: 2, failed: 0 });
    const { body } = await send(file, { key, query: '?existing=update' });
    expect(body).toMatchObject({ created: 0, changed: 2, existing: 2, failed: 0 });
    expect(await entryOf('a.test', key)).toMatchObject({ tags: ['newest'], note: 'mine' });
    expect((await send(file, { key, query: '?mode=sync&scope_tag=x&existing=update' })).status).toBe(400);
  });

  it('shows columns and first rows if it finds no domain column, and accepts a named column', async () => {
    const key = await anAccount();
    const file = 'Host,Client\nhttps://www.a.test/x,One\nb.test,Two\n';
    expect(await send(file, { key, query: '?dry_run=true' })).toMatchObject({
      status: 400,
      body: {
        columns: ['Host', 'Client'],
        first_rows: [
          ['https://www.a.test/x', 'One'],
          ['b.test', 'Two'],
        ],
      },
    });
    const columns = encodeURIComponent('{"domain":"Host","note":"Client"}');
    const { body } = await send(file, { key, query: `?columns=${columns}` });
    expect(body).toMatchObject({ created: 1, errors: [{ line: 2, registrable_domain: 'a.test' }] });
    expect(await entryOf('b.test', key)).toMatchObject({ note: 'Two' });
    const refused = await send(file, { key, query: `?dry_run=true&columns=${columns}`, accept: CSV });
    expect(refused.headers['content-type']).toBe(CSV);
    const [header, line, ...others] = String(refused.body['text']).split('\n');
    expect([header, ...others]).toEqual(['\ufeffHost,Client,refused because', '']);
    expect(line).toMatch(/^https:\/\/www\.a\.test\/x,One,"?line 2: .*a\.test/);
    expect((await send(file, { key, query: '?columns=Host' })).body).toMatchObject({
      errors: [{ pointer: '#query/columns' }],
    });
  });

  it('accepts one JSON object per line', async () => {
    const key = await anAccount();
    const rows = [
      { domain: 'one.test', interval_minutes: 60, tags: ['a;b', 'a;b'], note: '=1+1', purpose: 'acquire' },
      { domain: 'two.test', note: null, status: 'expiring', expires_at: null, last_checked_at: null },
    ];
    const file = rows.map((row) => JSON.stringify(row)).join('\n');
    expect((await send(file, { key, type: `${NDJSON}; charset=utf-8` })).body).toMatchObject({ created: 2, failed: 0 });
    expect(await entryOf('one.test', key)).toMatchObject({ tags: ['a;b'], note: '=1+1', purpose: 'acquire' });
  });

  it('reports each invalid line with its number in the file, and imports the other lines', async () => {
    const key = await anAccount('business');
    const file = [
      'domain,interval_minutes,tags,note',
      'good.test,60',
      'co.uk',
      '"wide.test",60,,"two\nlines"',
      'odd.test,7',
      '',
      'wordy.test,soon',
      ',60',
      'a"b.test,60',
      'too.test,60,,,,more',
      'open.test,"60',
      'good.test,60',
      'last.test',
    ].join('\n');
    const { status, body } = await send(file, { key });
    expect(status).toBe(200);
    expect(body).toMatchObject({ total: 11, created: 3, existing: 1, failed: 7 });
    expect(errorsOf(body)).toEqual([
      [3, 'domain_is_public_suffix'] as const,
      [6, 'interval_not_allowed'] as const,
      [8, 'invalid_request'] as const,
      ...[9, 10, 11, 12].map((line) => [line, 'invalid_request'] as const),
    ]);
    expect(body['errors']).toContainEqual({
      line: 8,
      domain: 'wordy.test',
      code: 'invalid_request',
      column: 'interval_minutes',
      message: 'interval_minutes must be an integer number',
    });
    expect(await watched(key)).toEqual(['good.test', 'last.test', 'wide.test']);
  });

  it('adds nothing when it is repeated, and counts the names that are already watched', async () => {
    const key = await anAccount();
    await service.call({ method: 'POST', path: '/v1/watchlist', body: { domain: 'before.test' }, key });
    const file = 'domain\nbefore.test\nnew.test\nNEW.test.\n';
    expect((await send(file, { key })).body).toMatchObject({ total: 3, created: 1, existing: 2 });
    expect((await send(file, { key })).body).toMatchObject({ total: 3, created: 0, existing: 3 });
    expect(await watched(key)).toEqual(['before.test', 'new.test']);
  });

  it('adds names until the plan is full; dry_run gives the same answer and adds nothing', async () => {
    const key = await anAccount('free');
    const names = Array.from({ length: 600 }, (_, n) => `n${n % 9}.test`);
    const file = ['domain', 'co.uk', ...names, 'ten.test', 'eleven.test'].join('\n');
    const dry = await send(file, { key, query: '?dry_run=true' });
    expect(dry.body).toMatchObject({ dry_run: true, total: 603, created: 10, existing: 591, failed: 2 });
    expect(errorsOf(dry.body)).toEqual([
      [2, 'domain_is_public_suffix'],
      [604, 'plan_limit_reached'],
    ]);
    expect(await watched(key)).toEqual([]);
    const { import_id: _, ...written } = (await send(file, { key })).body;
    expect(written).toEqual({ ...dry.body, dry_run: false });
  });

  it('streams the result of each line and then a summary if the client accepts NDJSON', async () => {
    const key = await anAccount();
    const answer = await send('domain\na.test\nco.uk\na.test\n', { key, accept: NDJSON });
    expect(answer.headers['content-type']).toBe(NDJSON);
    const id = expect.stringMatching(/^wl_/);
    expect(jsonLinesOf(answer)).toEqual([
      { line: 2, domain: 'a.test', outcome: 'created', id },
      {
        line: 3,
        domain: 'co.uk',
        outcome: 'failed',
        code: 'domain_is_public_suffix',
        message: expect.any(String),
      },
      { line: 4, domain: 'a.test', outcome: 'existing', id },
      expect.objectContaining({ total: 3, created: 1, existing: 1, failed: 1 }),
    ]);
  });

  it('causes no Node warning, such as of a memory leak, while it streams results', async () => {
    const warnings: string[] = [];
    const record = ({ message }: Error) => warnings.push(message);
    process.on('warning', record);
    await send('domain\na.test\n', { key: await anAccount(), accept: NDJSON });
    process.off('warning', record);
    expect(warnings).toEqual([]);
  });

  it('refuses only those lines with text that PostgreSQL cannot store or with extremely deep nesting', async () => {
    const key = await anAccount();
    const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
    const lines = [
      '{"domain":"a.test","note":"\\ud83d\\ude42"}',
      '{"domain":"b.test","note":"\\ud800"}',
      '{"domain":"c.test","tags":["\\udc00x"]}',
      `{"domain":"d.test","note":${deep}}`,
      `{"domain":"e.test","x":${deep}}`,
      '{"domain":"f.test"}',
    ];
    const { status, body } = await send(lines.join('\n'), { key, type: NDJSON });
    expect(status).toBe(200);
    expect(body['errors']).toMatchObject([2, 3, 4, 5].map((line) => ({ line, code: 'invalid_request' })));
    expect(await watched(key)).toEqual(['a.test', 'f.test']);
  });

  it('is refused with 429 while another import of the same account is running', async () => {
    const key = await anAccount();
    const file = `domain\n${Array.from({ length: 300 }, (_, n) => `n${n}.test`).join('\n')}`;
    const [first, second, other] = await Promise.all([send(file, { key }), send(file, { key }), send(file)]);
    expect([first.status, other.status]).toEqual([200, 200]);
    expect(second).toMatchObject({ status: 429, body: { code: 'too_many_concurrent_requests', retryable: true } });
    expect(second.headers['retry-after']).toBe('1');
    expect((await send(file, { key, accept: NDJSON })).status).toBe(200);
    expect((await send(file, { key })).body).toMatchObject({ existing: 300 });
  });

  it.each([
    ['of blank lines only, as CSV', '\n\n', CSV],
    ['of blank lines only, as NDJSON', ' \r\n\n', NDJSON],
    ['with the same column twice', 'domain,note,note\na.test,x,y', CSV],
    ['without a column of names', 'note\nx', CSV],
  ])('refuses a file %s, and adds no name', async (_, file, type) => {
    const key = await anAccount();
    expect(await send(file, { key, type })).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(await watched(key)).toEqual([]);
  });

  it('is refused with 413 if the file has too many lines or bytes', async () => {
    const key = await anAccount();
    const large = `domain\n${'a.test\n'.repeat(100_001)}`;
    expect(await send(large, { key })).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
    const heavy = Buffer.alloc(10 * 1_024 * 1_024 + 1, 'x');
    expect(await send(heavy, { key, type: 'text/plain' })).toMatchObject({ status: 413 });
    expect(await watched(key)).toEqual([]);
  });

  it.each<[string, Record<string, string>]>([
    ['JSON', { 'content-type': 'application/json' }],
    ['plain text', { 'content-type': 'text/plain' }],
    ['CSV in another charset', { 'content-type': 'text/csv; charset=iso-8859-1' }],
    ['CSV compressed with gzip', { 'content-type': CSV, 'content-encoding': 'gzip' }],
  ])('is refused with 415 for an unsupported content type: %s', async (_, headers) => {
    const answer = await service.call({ method: 'POST', path: '/v1/watchlist/import', body: '{}', headers });
    expect(answer).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
  });

  it.each(['?dry_run=yes', '?dry_run=true&dry_run=true'])(
    'is refused with 400 for the invalid query %s',
    async (query) => {
      expect(await send('domain\na.test', { query })).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    },
  );
});
