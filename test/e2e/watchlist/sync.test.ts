import { beforeAll, describe, expect, it } from '@jest/globals';
import { jsonLinesOf, NDJSON } from '../../support/json-lines.js';
import { running } from '../../support/running.js';
import { startTestService } from '../../support/servers/test-service.js';

type Row = string | ({ readonly domain: string } & Readonly<Record<string, unknown>>);

const service = running(() => startTestService({ ROLE: 'api' }));

interface Options {
  readonly query?: string;
  readonly accept?: string;
  readonly tag?: string;
}
const toFile = (rows: readonly Row[]) =>
  rows.map((row) => JSON.stringify(typeof row === 'string' ? { domain: row } : row)).join('\n');
const sync = (key: string, rows: readonly Row[], { query = '', accept = '*/*', tag = 'file' }: Options = {}) =>
  service.call({
    method: 'POST',
    path: `/v1/watchlist/import?mode=sync&scope_tag=${tag}${query}`,
    key,
    body: `${toFile(rows)}\n`,
    headers: { 'content-type': NDJSON, accept },
  });
const add = (key: string, body: { readonly domain: string } & Record<string, unknown>) =>
  service.call({ method: 'POST', path: '/v1/watchlist', body, key });
const watched = async (key: string) => {
  const rows = jsonLinesOf(await service.call({ path: '/v1/watchlist/export?format=ndjson', key }));
  return rows.map(({ domain, tags, note, interval_minutes: interval }) => ({ domain, tags, note, interval }));
};
const names = async (key: string) => (await watched(key)).map(({ domain }) => domain);
const anAccount = async (plan?: string) => (await service.openAccount(plan)).key;
beforeAll(() => add(service.account.key, { domain: 'kept.test', tags: ['kept'] }));

const NOTHING = { created: 0, changed: 0, removed: 0, unlisted: 0, skipped: 0, failed: 0 };

describe('a sync of the watchlist with a file', () => {
  it('adds and changes names as the file says, and changes nothing the second time', async () => {
    const key = await anAccount();
    await add(key, { domain: 'changed.test', note: 'old', tags: ['b', 'file'], remind_days: [9] });
    await add(key, { domain: 'same.test', tags: ['file', 'a'], purpose: 'own' });
    const rows = [
      { domain: 'new.test', interval_minutes: 60, renewal: { on: '2027-03-01' } },
      { domain: 'CHANGED.test', note: 'new', tags: ['b'] },
      { domain: 'same.test', tags: ['a'], purpose: 'own' },
    ];
    const { body } = await sync(key, rows);
    const { import_id: _, ...counts } = body;
    expect(counts).toEqual({ ...NOTHING, dry_run: false, total: 3, created: 1, changed: 1, existing: 1, errors: [] });
    const before = await watched(key);
    expect(before).toEqual([
      { domain: 'changed.test', tags: ['b', 'file'], note: 'new', interval: 360 },
      { domain: 'new.test', tags: ['file'], note: null, interval: 60 },
      { domain: 'same.test', tags: ['file', 'a'], note: null, interval: 360 },
    ]);
    expect((await sync(key, rows)).body).toMatchObject({ ...NOTHING, existing: 3 });
    expect(await watched(key)).toEqual(before);
  });

  it('keeps a paused entry paused when the file changes its note', async () => {
    const key = await anAccount();
    const { body } = await add(key, { domain: 'paused.test', tags: ['file'], paused: true });
    expect((await sync(key, [{ domain: 'paused.test', note: 'n' }])).body).toMatchObject({ changed: 1 });
    const entry = await service.call({ path: `/v1/watchlist/${String(body['id'])}`, key });
    expect(entry.body).toMatchObject({ paused: true, note: 'n', tags: ['file'] });
  });

  it('streams the planned changes with dry_run, and writes nothing', async () => {
    const key = await anAccount();
    await add(key, { domain: 'changed.test', note: 'old', tags: ['file'] });
    await add(key, { domain: 'gone.test', tags: ['file'] });
    const before = await watched(key);
    const dry = await sync(key, ['new.test', 'changed.test'], {
      query: '&dry_run=true&max_removals=1',
      accept: NDJSON,
    });
    const id = expect.stringMatching(/^wl_/);
    expect(jsonLinesOf(dry)).toEqual([
      { line: 1, domain: 'new.test', outcome: 'created', id: null },
      { line: 2, domain: 'changed.test', outcome: 'changed', id, fields: ['note'] },
      { line: null, domain: 'gone.test', outcome: 'removed', id },
      expect.objectContaining({ dry_run: true, total: 2, created: 1, changed: 1, removed: 1 }),
    ]);
    expect(await watched(key)).toEqual(before);
  });

  it('removes names missing from the file only if they are no more than max_removals', async () => {
    const key = await anAccount();
    for (const n of [1, 2, 3]) await add(key, { domain: `n${n}.test`, tags: ['file'] });
    expect((await sync(key, ['n1.test'])).body).toMatchObject({ removed: 0, unlisted: 2 });
    const refused = await sync(key, ['n1.test', 'new.test'], { query: '&max_removals=1' });
    expect(refused).toMatchObject({ status: 422, body: { code: 'too_many_removals', limit: 1 } });
    const dry = await sync(key, ['n1.test'], { query: '&max_removals=1&dry_run=true', accept: NDJSON });
    expect(dry).toMatchObject({ status: 422, body: { code: 'too_many_removals' } });
    expect(await names(key)).toEqual(['n1.test', 'n2.test', 'n3.test']);
    expect((await sync(key, ['n1.test'], { query: '&max_removals=2' })).body).toMatchObject({ removed: 2 });
    expect(await names(key)).toEqual(['n1.test']);
  });

  it('never changes or removes names without its tag, even if the file lists such names', async () => {
    const key = await anAccount();
    await sync(key, ['theirs.test'], { tag: 'other' });
    await add(key, { domain: 'mine.test', note: 'by hand' });
    const before = await watched(key);
    const { body } = await sync(key, ['new.test', 'theirs.test', { domain: 'mine.test', note: 'x' }]);
    expect(body).toMatchObject({ ...NOTHING, skipped: 1, failed: 2 });
    expect((body['errors'] as { line: number; code: string }[]).map(({ line, code }) => [line, code])).toEqual([
      [2, 'already_watched'],
      [3, 'already_watched'],
    ]);
    expect(await watched(key)).toEqual(before);
    await sync(key, ['new.test'], { query: '&max_removals=100' });
    expect(await watched(key)).toEqual(expect.arrayContaining(before));
  });

  it('writes nothing if any line is invalid, and reports the number of that line', async () => {
    const key = await anAccount('free');
    await add(key, { domain: 'old.test', tags: ['file'] });
    const twenty = Array.from({ length: 20 }, (_, n) => `t${n}`);
    const invalid: readonly (readonly [Row[], number, string])[] = [
      [['good.test', 'co.uk'], 2, 'domain_is_public_suffix'],
      [['good.test', { domain: 'a.test', colour: 'red' }], 2, 'invalid_request'],
      [['münchen.test', 'XN--mnchen-3ya.test'], 2, 'invalid_request'],
      [[{ domain: 'a.test', interval_minutes: 7 }], 1, 'interval_not_allowed'],
      [[{ domain: 'a.test', tags: twenty }], 1, 'invalid_request'],
      [Array.from({ length: 10 }, (_, n) => `n${n}.test`), 10, 'plan_limit_reached'],
    ];
    for (const [rows, line, code] of invalid) {
      const { body } = await sync(key, rows, { query: '&max_removals=10' });
      expect(body).toMatchObject({ ...NOTHING, failed: 1, skipped: rows.length - 1, errors: [{ line, code }] });
    }
    expect(await names(key)).toEqual(['old.test']);
  });

  const UTF_16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
  const CSV = 'text/csv';
  it.each<[string, string, string | Buffer]>([
    ...[',', ';', '\t', '|'].flatMap((separator) =>
      ['\r', '\n', '\r\n', '\u0085', '\u2028', '\v', '\f', ''].flatMap((end): [string, string, string | Buffer][] => {
        const header = `domain${separator}tags${end}`;
        return [
          [`a first line of CSV only (${JSON.stringify(separator + end)})`, CSV, header],
          [`blank lines below it (${JSON.stringify(separator + end)})`, CSV, `\ufeff${header}${end}  ${end}`],
          [`a first line in UTF-16 only (${JSON.stringify(separator + end)})`, CSV, UTF_16(header)],
        ];
      }),
    ),
    ['a CSV whose lines end with U+0085', CSV, 'domain,tags\u0085n1.test,file\u0085n2.test,file\u0085'],
    ['a header with one column only', CSV, 'domain\r'],
    ['dashes in place of names', CSV, 'domain,tags\n-,a\n?,b\n'],
    ['an empty CSV', CSV, ''],
    ['a CSV of blank lines only', CSV, '\n\r\n\r'],
    ['UTF-16 without a byte order mark', CSV, Buffer.from('domain,tags\nn1.test,file\n', 'utf16le')],
    ['an HTML page', CSV, '<!doctype html>\n<p>Sign in</p>\n'],
    ['NDJSON of blank lines only', NDJSON, '\n \r\n'],
    ['an empty JSON list', NDJSON, '[]\n'],
    ['NDJSON in UTF-16 without a byte order mark', NDJSON, Buffer.from('{"domain":"n1.test"}\n', 'utf16le')],
    ['NDJSON without domain names', NDJSON, '{"name":"n1.test"}\n{"name":"n2.test"}\n'],
    ['CSV sent as NDJSON', NDJSON, 'domain,tags\nn1.test,file\n'],
    ['a list of names sent as NDJSON', NDJSON, 'n1.test\nn2.test\n'],
    ['an HTML page sent as NDJSON', NDJSON, '<!doctype html>\n<p>Sign in</p>\n'],
  ])('answers 400 and removes nothing when it receives %s', async (_, type, body) => {
    for (const query of ['', '&dry_run=true', '&columns=%7B%22domain%22%3A%22domain%22%7D'])
      for (const accept of ['application/json', NDJSON, CSV]) {
        const path = `/v1/watchlist/import?mode=sync&scope_tag=kept&max_removals=1000${query}`;
        const headers = { 'content-type': type, accept };
        const answer = await service.call({ method: 'POST', path, body, headers });
        expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
      }
    expect(await names(service.account.key)).toEqual(['kept.test']);
  });

  it('refuses a file with an unknown column, and accepts an exported file', async () => {
    const key = await anAccount();
    await add(key, { domain: 'n1.test', note: 'ours', tags: ['file'] });
    const path = '/v1/watchlist/import?mode=sync&scope_tag=file&max_removals=20';
    const send = (body: string) => service.call({ method: 'POST', path, key, body, headers: { 'content-type': CSV } });
    expect(await send('domain,nots\nn1.test,ours\n')).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', detail: expect.stringContaining('column nots') },
    });
    expect(await watched(key)).toMatchObject([{ note: 'ours' }]);
    const exported = await service.call({ path: '/v1/watchlist/export?format=csv', key });
    expect(await send(String(exported.body['text']))).toMatchObject({ status: 200, body: { existing: 1, removed: 0 } });
  });

  it.each([
    ['?mode=sync', '#query/scope_tag'],
    ['?scope_tag=a', '#query/scope_tag'],
    ['?mode=add&max_removals=1', '#query/max_removals'],
  ])('refuses the invalid query %s with 400', async (query, pointer) => {
    const file = { body: 'domain\n', headers: { 'content-type': 'text/csv' } };
    const answer = await service.call({ method: 'POST', path: `/v1/watchlist/import${query}`, ...file });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request', errors: [{ pointer }] } });
  });
});
