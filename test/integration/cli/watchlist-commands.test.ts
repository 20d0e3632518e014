import { beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { runInProcess, runAsProcess } from '../../support/programs/command-line.js';
import { runInShell } from '../../support/programs/shell.js';
import { eventually } from '../../support/eventually.js';
import { running } from '../../support/running.js';
import { CommandLineService } from '../../support/servers/command-line-service.js';
import type { TestService } from '../../support/servers/test-service.js';

describe('the command line, with a service', () => {
  const commands = running(() => CommandLineService.start());
  const namewatch = (...words: string[]) => commands.run(words);
  const json = (...words: string[]) => commands.json(...words);
  const file = (name: string, text: string) => {
    writeFileSync(join(commands.folder, name), text);
    return join(commands.folder, name);
  };
  let service: TestService;
  beforeAll(() => void ({ service } = commands));

  it('adds a name to the watchlist, lists the name and removes it', async () => {
    const options = ['--interval', '60', '--tag', 'brand', 'shop', '--note', 'ours', '--purpose', 'own'];
    const entry = await json('watch', 'add', 'mine.test', ...options);
    expect(entry).toMatchObject({ domain: 'mine.test', interval_minutes: 60 });
    const { data } = await json('watch', 'list', '--tag', 'brand', 'shop', '--status', 'registered');
    expect(data).toMatchObject([{ id: entry['id'] }]);
    expect((await namewatch('watch', 'list')).out.split('\n')).toEqual([
      `ID${' '.repeat(27)}  DOMAIN     STATUS       INTERVAL  FAILING`,
      `${String(entry['id'])}  mine.test  not checked  60 min    -`,
    ]);
    expect(await namewatch('watch', 'remove', 'MINE.test')).toMatchObject({ code: 0 });
    expect((await namewatch('watch', 'list')).out).toBe('nothing is watched here');
    expect(await namewatch('watch', 'remove', 'mine.test')).toMatchObject({ code: 3, err: 'mine.test is not watched' });
  });

  it('shows a name as "not checked" until its registry answers, and lists the failure code', async () => {
    const added = await namewatch('watch', 'add', 'failing.test');
    expect(added.out).toMatch(/failing\.test {2}not checked {2}\d+ min +-$/);
    await namewatch('watch', 'add', 'known.test');
    const database = new pg.Client(service.databaseUrl);
    await database.connect();
    await database.query(`update watched_names set failing_since = now(), failures = 1, failure_code = 'registry_timeout'
      where domain = 'failing.test'`);
    await database.query(`update watched_names set last_checked_at = now() where domain = 'known.test'`);
    expect((await namewatch('watch', 'show', 'failing.test')).out).toMatch(/^Status +not checked$/m);
    expect((await namewatch('watch', 'show', 'known.test')).out).toMatch(/^Status +not confirmed$/m);
    const { out } = await namewatch('check', 'known.test');
    expect(out).toContain('is registered');
    await eventually(
      async () => (await namewatch('watch', 'show', 'known.test')).out,
      (shown) => shown.includes('registered (phase registered)'),
    );
    expect((await namewatch('watch', 'list', '--domain', 'failing')).out).toMatch(
      /not checked {2}\d+ min +registry_timeout$/,
    );
    await database.end();
    for (const name of ['failing.test', 'known.test']) await namewatch('watch', 'remove', name);
  });

  it('shows, pauses and resumes an entry by its name or its id', async () => {
    const { id } = await json('watch', 'add', 'shown.test', '--tag', 'brand');
    const shown = await namewatch('watch', 'show', 'shown.test');
    expect(shown.out.split('\n')).toEqual(
      expect.arrayContaining(['Domain        shown.test', `Id            ${String(id)}`, 'Tags          brand']),
    );
    expect(await json('watch', 'show', String(id))).toMatchObject({ id, domain: 'shown.test', paused: false });
    expect(await namewatch('watch', 'pause', 'shown.test')).toMatchObject({ code: 0, out: 'shown.test is paused.' });
    expect(await json('watch', 'show', 'shown.test')).toMatchObject({ paused: true });
    expect(await json('watch', 'resume', String(id))).toMatchObject({ id, paused: false });
    for (const command of ['show', 'pause', 'resume'])
      expect(await namewatch('watch', command, 'gone.test')).toMatchObject({
        code: 3,
        err: 'gone.test is not watched',
      });
    expect(await namewatch('watch', 'remove', 'shown.test')).toMatchObject({ code: 0 });
  });

  it('finds names by text and filter, lists tags, and counts names that need action', async () => {
    await json('watch', 'add', 'found.test', '--tag', 'Küche');
    expect((await namewatch('watch', 'list', '--search', 'KÜCH', '--no-paused')).out).toMatch(/ found\.test /);
    expect((await namewatch('watch', 'list', '--search', 'KÜCH', '--paused')).out).toBe('no name matches');
    expect((await namewatch('export', '--search', 'küche')).out).toMatch(/^found\.test,/m);
    expect((await namewatch('watch', 'tags', '--search', 'küche')).out).toMatch(/^1 +Küche$/m);
    expect((await namewatch('watch', 'summary')).out).toMatch(/^Watching (1 name|(?!1 )\d+ names)\.$/m);
    expect((await json('watch', 'operators'))['data']).toMatchObject([{ operator: 'sandbox', tlds: ['test'] }]);
    expect(await json('watch', 'summary')).toMatchObject({ action_needed: { in_grace: 0, failing_channels: 0 } });
    expect(await namewatch('watch', 'remove', 'found.test')).toMatchObject({ code: 0 });
  });

  it('checks one label under several TLDs', async () => {
    const both = await namewatch('check', 'available', '--tlds', 'test, nowhere');
    expect(both).toMatchObject({ code: 1, out: 'available.test is available' });
    expect(both.err).toMatch(/^available\.nowhere tld_unsupported: /);
    expect(await namewatch('check', 'available', '--tlds', 'test', '--exit-status')).toMatchObject({ code: 0 });
    expect(await namewatch('check', 'taken', '--tlds', 'test', '--exit-status')).toMatchObject({ code: 10 });
    expect(await namewatch('check', 'a.test', '--tlds', 'test')).toMatchObject({ code: 5, out: '' });
    expect(await json('check', 'available', '--tlds', 'test')).toMatchObject({ meta: { total: 1, answered: 1 } });
  });

  it('imports the variants of a name as CSV and NDJSON, and adds each variant only once', async () => {
    const words = ['variants', 'brand.test', '--kinds', 'typo,homoglyph', '--max', '20', '--tag', 'a;b'];
    for (const format of ['csv', 'ndjson']) {
      const { out } = await namewatch(...words, '--format', format);
      const summary = await json('import', file(`variants.${format}`, `${out}\n`));
      expect(summary).toMatchObject({ total: 20, created: format === 'csv' ? 20 : 0, failed: 0 });
    }
    const { data } = await json('watch', 'list', '--tag', 'a;b', '--per-page', '1', '--domain', 'bbrand');
    expect(data).toMatchObject([{ domain: 'bbrand.test' }]);
    for (const { id } of ((await json('watch', 'list', '--tag', 'a;b')) as { data: { id: string }[] }).data)
      await namewatch('watch', 'remove', id);
  });

  it('shows what a watchlist file would change, applies the file, and then changes nothing more', async () => {
    const folderOfExample = join(import.meta.dirname, '../../../examples/watchlist-as-code');
    const example = readFileSync(join(folderOfExample, 'watchlist.yaml'), 'utf8');
    const list = file('watchlist.yaml', example.replaceAll(/example\.(com|org|de)/g, '$1-applied.test'));
    const workflow = readFileSync(join(folderOfExample, 'namewatch.yml'), 'utf8');
    const [plan = [], apply = []] = [...workflow.matchAll(/apply - (.*) </g)].map(([, words = '']) => words.split(' '));
    const check = await namewatch('apply', list, ...plan);
    expect(check).toMatchObject({ code: 11, err: '' });
    expect(check.out.split('\n')).toEqual([
      ...['com', 'org', 'de'].map((tld) => `+ ${tld}-applied.test`),
      '3 names: 3 to add, 0 to change, 0 to remove, 0 as they are (nothing was written)',
    ]);
    expect(await json('apply', list, ...apply)).toMatchObject({ created: 3, dry_run: false });
    expect(await namewatch('apply', list, ...plan)).toMatchObject({ code: 0 });
    const changed = file('changed.yaml', 'version: 1\ntag: brand\nnames: [com-applied.test]\n');
    const second = await namewatch('apply', changed);
    expect(second.out.split('\n')).toEqual([
      '~ com-applied.test (purpose, remind_days)',
      '? de-applied.test (not in the file, stays)',
      '? org-applied.test (not in the file, stays)',
      '1 name: 0 added, 1 changed, 0 removed, 0 as they are, 2 not in the file',
    ]);
    const pruned = (max: string) => namewatch('apply', changed, '--prune', '--max-removals', max);
    expect(await pruned('1')).toMatchObject({ code: 5, out: '', err: expect.stringMatching(/^too_many_removals: 2 /) });
    expect(await pruned('2')).toMatchObject({ code: 0, out: expect.stringMatching(/1 as they are$/) });
    expect(await namewatch('apply', changed, '--prune')).toMatchObject({ code: 2 });
    const { data } = (await json('watch', 'list', '--tag', 'brand')) as { data: { id: string }[] };
    for (const { id } of data) await namewatch('watch', 'remove', id);
    expect(data).toMatchObject([{ domain: 'com-applied.test' }]);
  });

  it('says on which line of a watchlist file a name is refused, and writes nothing', async () => {
    const bad = file('bad.yaml', 'version: 1\ntag: t\nnames:\n  - good-applied.test\n  - co.uk\n');
    const { code, out, err } = await namewatch('apply', bad);
    expect({ code, err }).toEqual({
      code: 5,
      err: expect.stringMatching(/bad\.yaml:5:5: co\.uk domain_is_public_suffix: /),
    });
    expect(out).toBe('2 names: 0 added, 0 changed, 0 removed, 0 as they are, 1 refused (nothing was written)');
    expect((await namewatch('watch', 'list', '--tag', 't')).out).toBe('no name matches');
  });

  it('lists the variants of a name, one per line, without a service', async () => {
    const offline = (...words: string[]) => runInProcess(['variants', ...words], {});
    const some = await offline('example.com', '--kinds', 'tld', '--tlds', 'net,co.uk,com,nowhere');
    expect(some).toEqual({ code: 0, out: 'example.net\nexample.co.uk', err: '' });
    const all = await offline('example.com', '--kinds', 'tld', '--max', '1000');
    expect(all.out.split('\n').length).toBeGreaterThan(400);
    const { out } = await offline('example.com', '--max', '2', '--json');
    expect(JSON.parse(out)).toMatchObject({ domain: 'example.com', data: [{ kind: 'typo' }, { kind: 'typo' }] });
    const csv = await offline('example.com', '--max', '1', '--format', 'csv', '--tag', '=1+1', '--tag', 'a;b');
    expect(csv.out).toContain(`,'=1+1;a\\;b,`); // no formula for a spreadsheet
    expect(await offline('co.uk')).toMatchObject({ code: 5 });
    expect(await offline('example.com', '--kinds', 'scored')).toMatchObject({ code: 2 });
  });

  it('lists the notifications that were sent for a name', async () => {
    const { id: channel } = await json('channel', 'add', 'https://hooks.example.com/told', '--tag', 'told');
    await json('watch', 'add', 'told--expiring.test', '--tag', 'told', '--notify-current');
    expect((await namewatch('watch', 'deliveries', 'told--expiring.test')).out).toBe('nothing was sent');
    await service.call({ path: '/v1/domains/check?domain=told--expiring.test&max_age=0' });
    const { data } = await json('watch', 'deliveries', 'told--expiring.test');
    expect(data).toMatchObject([{ domain: 'told--expiring.test', status: 'expiring', channel_id: channel }]);
    const [, line] = (await namewatch('channel', 'deliveries', String(channel))).out.split('\n');
    expect(line).toMatch(/^told--expiring\.test +first answer: expiring +\S+Z +nc_\w+ +pending +none$/);
    await namewatch('watch', 'remove', 'told--expiring.test');
    expect(await json('watch', 'deliveries', 'told--expiring.test')).toMatchObject({
      data: [{ domain: 'told--expiring.test', state: 'disabled' }],
    });
    await service.call({ method: 'DELETE', path: `/v1/notifications/${String(channel)}` });
  });

  it('shows the history of a name, and when and by which request it was removed', async () => {
    const { id } = await json('watch', 'add', 'bücher.test');
    expect((await namewatch('watch', 'history', 'Bücher.test')).out).toMatch(/^no status was confirmed/);
    await service.call({ path: '/v1/domains/check?domain=b%C3%BCcher.test&max_age=0' });
    const [headers, interval] = (await namewatch('watch', 'history', String(id))).out.split('\n');
    expect(headers).toMatch(/^STATUS +PHASE +FIRST SEEN +LAST SEEN +EXPIRES$/);
    expect(interval).toMatch(/^registered +registered +20\S+Z +20\S+Z +20\S+Z$/);
    const watched = await json('watch', 'history', 'bücher.test');
    expect(watched).toMatchObject({ removed: null });
    const { headers: removal } = await service.call({ method: 'DELETE', path: `/v1/watchlist/${String(id)}` });
    const removed = await json('watch', 'history', 'bücher.test');
    expect(removed).toMatchObject({ data: watched['data'], removed: { id, request_id: removal['x-request-id'] } });
    for (const entry of [String(id), 'xn--bcher-kva.test', 'BÜCHER.test'])
      expect((await namewatch('watch', 'history', entry)).out.split('\n')[0]).toMatch(
        new RegExp(`removed on 20\\S+Z by request ${String(removal['x-request-id'])}$`),
      );
    await json('watch', 'add', 'bücher.test');
    expect(await json('watch', 'history', 'bücher.test')).toMatchObject({ removed: null });
    expect(await namewatch('watch', 'remove', 'bücher.test')).toMatchObject({ code: 0 });
    for (const command of ['history', 'deliveries'])
      expect(await namewatch('watch', command, 'never.test')).toMatchObject({
        code: 3,
        err: 'never.test is not watched, and has no removed entry',
      });
  });

  it('adds, lists and tests a notification channel', async () => {
    expect((await namewatch('channel', 'list')).out).toBe('no channels');
    const added = await json('channel', 'add', 'https://hooks.example.com/cli', '--event-type', 'watchlist.available');
    expect(added).toMatchObject({ type: 'webhook', active: true, secret: expect.stringMatching(/^whsec_/) });
    expect((await namewatch('channel', 'list')).out.split('\n')).toEqual([
      `ID${' '.repeat(27)}  TYPE     LABEL  ACTIVE  WAITING  TARGET`,
      `${String(added['id'])}  webhook  -      yes     -        https://hooks.example.com/cli`,
    ]);
    expect(await json('channel', 'list')).toMatchObject({ data: [{ id: added['id'] }] });
    expect(await json('channel', 'test', String(added['id']))).toMatchObject({ event_type: 'channel.test' });
    expect(await namewatch('channel', 'test', `nc_${'0'.repeat(26)}`)).toMatchObject({ code: 3 });
    const [headers, sent] = (await namewatch('channel', 'deliveries', String(added['id']))).out.split('\n');
    expect(headers).toMatch(/^DOMAIN +WHAT HAPPENED +WHEN +CHANNEL +STATE +LAST ATTEMPT$/);
    expect(sent).toMatch(/^- +channel\.test +\S+Z +nc_\w+ +\w+ +\w+/);
    expect(await namewatch('channel', 'add', 'http://localhost/')).toMatchObject({ code: 5 });
    expect(await namewatch('channel', 'add', 'https://hooks.example.com/cli')).toMatchObject({ code: 5 });
  });

  it('changes the filter, state and secret of a channel, and removes the channel', async () => {
    const { id, secret } = await json('channel', 'add', 'https://hooks.example.com/changed');
    const channel = async (command: string, ...options: string[]) => json('channel', command, String(id), ...options);
    expect(await channel('filter', '--event-type', 'watchlist.available', '--tag', 'brand')).toMatchObject({
      event_types: ['watchlist.available'],
      tags: ['brand'],
    });
    expect(await channel('filter')).toMatchObject({ event_types: [], tags: [] });
    expect(await channel('pause')).toMatchObject({ active: false });
    expect((await namewatch('channel', 'list')).out).toContain('  no (switched_off)  ');
    expect(await channel('resume')).toMatchObject({ active: true });
    const { id: delivery } = await channel('test');
    const again = await namewatch('channel', 'redeliver', String(delivery)); // nothing works here, so the first is still pending
    expect(again).toMatchObject({ code: 5, err: expect.stringContaining('delivery_pending') });
    expect(await channel('replay', '--from', '2026-01-01', '--to', '2026-01-08')).toEqual({ count: 0 });
    expect((await channel('rotate-secret', '--grace', '0'))['secret']).not.toBe(secret);
    expect((await namewatch('channel', 'remove', String(id))).out).toBe(`${String(id)} is removed.`);
    expect(await namewatch('channel', 'remove', String(id))).toMatchObject({ code: 3 });
  });

  it('sets and removes the label of a channel, and refuses a label already taken', async () => {
    const { id } = await json('channel', 'add', 'https://hooks.example.com/called', '--label', 'Shop team');
    expect((await namewatch('channel', 'list')).out).toMatch(/webhook +Shop team +yes/);
    const other = await namewatch('channel', 'add', 'https://hooks.example.com/other', '--label', 'shop team');
    expect(other).toMatchObject({ code: 5, err: expect.stringMatching(/label_taken/) });
    expect((await namewatch('channel', 'label', String(id), 'Brand')).out).toBe(`${String(id)} is called Brand now.`);
    expect((await json('channel', 'label', String(id)))['label']).toBeNull();
    await service.call({ method: 'DELETE', path: `/v1/notifications/${String(id)}` });
  });

  it('schedules and turns off the weekly summary of a channel', async () => {
    const { id } = await json('channel', 'add', 'https://hooks.example.com/summary');
    const weekly = ['channel', 'summary', String(id), '--on', '3', '--at', '07:30', '--zone', 'Europe/Berlin'];
    const summary = { every: 'week', on: 3, at: '07:30', zone: 'Europe/Berlin', send_empty: false };
    expect(await json(...weekly)).toMatchObject({ summary });
    expect((await namewatch(...weekly)).out).toMatch(/gets its next summary at 20\S+Z\.$/);
    expect((await namewatch('channel', 'summary', String(id), '--off')).out).toBe(`${String(id)} gets no summary.`);
    expect(await namewatch('channel', 'summary', String(id), '--zone', 'Nowhere')).toMatchObject({ code: 1 });
    await service.call({ method: 'DELETE', path: `/v1/notifications/${String(id)}` });
  });

  it('creates, shows and revokes the web address of the calendar', async () => {
    expect((await namewatch('calendar', 'show')).out).toBe('no address');
    const { out } = await namewatch('calendar', 'make');
    const [address = ''] = out.split('\n');
    expect((await fetch(address)).status).toBe(200);
    expect((await namewatch('calendar', 'show')).out).toMatch(/^an address since 20\S+Z, last read 20\S+Z$/);
    await namewatch('calendar', 'revoke');
    expect((await fetch(address)).status).toBe(404);
  });

  it('creates, lists and revokes a web page for a client', async () => {
    expect((await namewatch('client-page', 'list')).out).toBe('no client pages');
    const { url, id } = await json('client-page', 'make', 'paged', '--title', 'Names of Acme', '--days', '30');
    expect((await fetch(String(url))).status).toBe(404); // no name has the tag yet
    await namewatch('watch', 'add', 'paged.test', '--tag', 'paged');
    expect(await (await fetch(String(url))).text()).toContain('paged.test');
    expect((await namewatch('client-page', 'list')).out).toMatch(/Names of Acme +paged +20\S+Z +\d +20\S+$/);
    expect((await namewatch('client-page', 'revoke', String(id))).code).toBe(0);
    expect((await fetch(String(url))).status).toBe(404);
    await namewatch('watch', 'remove', 'paged.test');
  });

  it('says "1 line" in the singular, and names a file that cannot be read or overwritten', async () => {
    const one = file('one.csv', 'domain\nsingle.test\n');
    expect((await namewatch('import', one, '--dry-run')).out).toBe(
      '1 line: 1 would be new, 0 already watched, 0 refused (nothing was written)',
    );
    expect(await namewatch('import', commands.folder)).toMatchObject({
      code: 2,
      err: `${commands.folder} is a folder, not a file`,
    });
    const taken = await namewatch('export', '--output', one);
    expect(taken).toMatchObject({ code: 2, err: `${one} exists already: nothing is overwritten` });
  });

  it.each<[string, string[], number, RegExp]>([
    ['a name that cannot be watched', ['watch', 'add', 'co.uk'], 5, /domain_is_public_suffix/],
    ['an interval that is not a number', ['watch', 'add', 'a.test', '--interval', 'often'], 2, /whole number/],
    ['an entry that does not exist', ['watch', 'remove', `wl_${'0'.repeat(26)}`], 3, /not_found/],
    ['a missing file', ['import', '/no/such/file.csv'], 2, /^\/no\/such\/file\.csv does not exist$/],
    ['a malformed cursor', ['events', 'tail', '--after', 'x'], 1, /invalid_request/],
  ])('exits with the right code and message for %s', async (_, words, code, said) => {
    expect(await namewatch(...words)).toMatchObject({ code, err: expect.stringMatching(said) });
  });

  it('imports a file, reports the refused lines, and exports the names again', async () => {
    const names = Array.from({ length: 600 }, (_, n) => `n${n}.test`);
    const csv = file('names.csv', ['domain', ...names, 'co.uk'].join('\n'));
    const dry = await namewatch('import', csv, '--dry-run');
    expect(dry).toMatchObject({ code: 5, err: expect.stringMatching(/^line 602: co\.uk domain_is_public_suffix: /) });
    expect(dry.out).toBe('601 lines: 600 would be new, 0 already watched, 1 refused (nothing was written)');
    expect((await namewatch('import', csv)).out).toBe('601 lines: 600 new, 0 already watched, 1 refused');
    const lines = file('names.jsonl', names.map((domain) => JSON.stringify({ domain })).join('\n'));
    expect(await json('import', lines)).toMatchObject({ total: 600, created: 0, existing: 600, failed: 0 });
    const output = join(commands.folder, 'out.csv');
    expect((await namewatch('export', '--output', output)).code).toBe(0);
    expect(readFileSync(output, 'utf8').trim().split('\n')).toHaveLength(601);
    expect(await namewatch('export', '--output', output)).toMatchObject({ code: 2 });
    const { code, out } = await runAsProcess(['export', '--json'], commands.env);
    expect([code, out.split('\n').length]).toEqual([0, 600]);
  });

  it('imports a registrar’s CSV by mapped columns, and writes refused lines to a file', async () => {
    const csv = file('registrar.csv', 'Host;Expires;Label=s\nmapped.test;2027-01-01;brand\nco.uk;;\n');
    const refused = join(commands.folder, 'refused.csv');
    const columns = ['--map', 'domain=Host', '--map', 'tags=Label=s'];
    const { code, out } = await namewatch('import', csv, ...columns, '--refused', refused);
    expect([code, out]).toEqual([5, 'ignored: Expires\n2 lines: 1 new, 0 already watched, 1 refused']);
    expect((await namewatch('watch', 'show', 'mapped.test')).out).toMatch(/brand/);
    expect(readFileSync(refused, 'utf8')).toMatch(
      /^\ufeffHost,Expires,Label=s,refused because\nco\.uk,,,"?line 3: This is a public/,
    );
    expect(await namewatch('import', csv, '--map', 'Host')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/such as domain=Host/),
    });
  });

  it('prints five lines that are refused for the same reason, and counts the other lines', async () => {
    const lines = Array.from({ length: 91 }, () => 'co.uk,often');
    const { err } = await namewatch('import', file('equal.csv', ['domain,interval_minutes', ...lines].join('\n')));
    const printed = err.trim().split('\n');
    expect(printed).toHaveLength(6);
    expect(printed.at(-1)).toMatch(/^86 more lines: \w+: /);
  });

  it('reads standard input to the end, even if the input arrives slowly', async () => {
    const slowly = `(sleep 1; printf 'domain\\n'; sleep 1; printf 'slow--expiring.test\\n')`;
    expect(await runInShell(`${slowly} | namewatch import - --dry-run`, commands.env)).toMatch(
      /^1 line: 1 would be new/,
    );
  });

  it('exits with 1 and says why if a whole file is refused', async () => {
    const { code, err } = await namewatch('import', file('bad.csv', 'name,note\n1,2\n'));
    expect({ code, err }).toMatchObject({ code: 1, err: expect.stringMatching(/^invalid_request: The first line/) });
  });

  it('prints the next event after a given one, and continues from there', async () => {
    const channel = { type: 'webhook', target: 'https://hooks.example.test/' };
    const { body } = await service.call({ method: 'POST', path: '/v1/notifications', body: channel });
    const happen = () => service.call({ method: 'POST', path: `/v1/notifications/${String(body['id'])}/test` });
    for (let n = 0; n < 3; n += 1) expect((await happen()).status).toBe(202);
    await eventually(
      () => service.call({ path: '/v1/events' }),
      ({ body: all }) => (all['data'] as unknown[]).length >= 3,
    );
    const { body: page } = await service.call({ path: '/v1/events?limit=1' });
    const { next } = page['meta'] as { next: string };
    const [second, third] = await Promise.all([json('events', 'tail', '--after', next, '--count', '1'), ids(next)]);
    expect(second).toMatchObject({ id: third[0], type: 'channel.test' });
    const rest = await json('events', 'tail', '--after', String(second['cursor']), '--count', '1');
    expect(rest['id']).toBe(third[1]);
  });

  const ids = async (after: string) => {
    const { body } = await service.call({ path: `/v1/events?after=${after}` });
    return (body['data'] as { id: string }[]).map(({ id }) => id);
  };
});
