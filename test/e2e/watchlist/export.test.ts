import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { NDJSON } from '../../support/json-lines.js';
import { running } from '../../support/running.js';
import { startTestService } from '../../support/servers/test-service.js';

const service = running(() => startTestService({ ROLE: 'api' }));

const exported = async (key: string, query = '', accept = '*/*') => {
  const answer = await service.call({ path: `/v1/watchlist/export${query}`, key, headers: { accept } });
  expect(answer.status).toBe(200);
  return { type: answer.headers['content-type'], text: String(answer.body['text']), headers: answer.headers };
};
const imported = async (file: string, type: string, key: string) => {
  const headers = { 'content-type': type };
  return (await service.call({ method: 'POST', path: '/v1/watchlist/import', body: file, headers, key })).body;
};
const watch = (body: object, key: string) => service.call({ method: 'POST', path: '/v1/watchlist', body, key });
const anAccount = async () => (await service.openAccount()).key;

const ODD = [
  { domain: 'a.test', note: '=HYPERLINK("http://x","y")', tags: ['@home', 'b;c', 'd\\'], purpose: 'own' },
  { domain: 'b.test', note: "'=not a formula", tags: ['-'], interval_minutes: 60, expiring_window_days: 7 },
  { domain: 'c.test', note: 'two\r\n"lines", and a comma', purpose: 'acquire' },
  { domain: 'd.test', note: 'one\n=1+1', tags: ['x'] },
  { domain: 'e.test', note: 'one\r@SUM(1)\rtwo' },
  { domain: 'münchen.test', note: '\tGrüße 🙂' },
];

describe('a watchlist export', () => {
  it('can be imported into another account, whose export is then identical', async () => {
    const key = await anAccount();
    for (const body of ODD) expect((await watch(body, key)).status).toBe(201);
    for (const [query, type] of [
      ['?format=csv', 'text/csv'],
      ['?format=ndjson', NDJSON],
    ] as const) {
      const { text } = await exported(key, query);
      const other = await anAccount();
      expect(await imported(text, type, other)).toMatchObject({ created: ODD.length, failed: 0 });
      expect((await exported(other, query)).text).toBe(text);
    }
  });

  it('can be continued after the last name received if it was interrupted', async () => {
    const key = await anAccount();
    for (const body of ODD) await watch(body, key);
    const whole = (await exported(key, '?format=ndjson')).text;
    const broken = whole.slice(0, whole.indexOf('"c.test"')); // ends in the middle of the third line
    const complete = broken.slice(0, broken.lastIndexOf('\n') + 1);
    expect(complete + (await exported(key, '?format=ndjson&after=b.test')).text).toBe(whole);
  });

  it('contains the settings and the current registry facts, as CSV and as NDJSON', async () => {
    const key = await anAccount();
    const expected = { nameservers: ['ns1.example.net', 'ns2.example.net'], registrar_id: '292', locked: false };
    const reminders = { remind_days: [90, 7], renewal: { on: '2027-03-01', note: 'Invoice' }, expected };
    await watch({ domain: 'known.test', tags: ['x', 'y'], ...reminders }, key);
    const database = new pg.Client(service.databaseUrl);
    await database.connect();
    await database.query(`update watch_entries set created_at = '2026-11-01' where domain = 'known.test'`);
    await database.query(
      `update watched_names set last_checked_at = '2026-11-21T02:00:00Z', facts_confirmed_at = '2026-11-21T02:00:00Z',
         facts = $1 where domain = 'known.test'`,
      ['{"expiresAt":"2027-01-01T00:00:00.000Z"}'],
    );
    await database.query(`update watch_entries set has_confirmed_facts = true where domain = 'known.test'`);
    await database.end();
    const columns =
      'domain,interval_minutes,expiring_window_days,tags,note,purpose,status,expires_at,last_checked_at,' +
      'remind_days,renewal_on,renewal_note,' +
      'expected_nameservers,expected_registrar_id,expected_locked';
    const row =
      'known.test,360,30,x;y,,monitor,registered,2027-01-01T00:00:00.000Z,2026-11-21T02:00:00.000Z,90;7,2027-03-01,Invoice,' +
      'ns1.example.net;ns2.example.net,292,false';
    const csv = await exported(key);
    expect(csv).toMatchObject({ type: 'text/csv; charset=utf-8; header=present', text: `${columns}\r\n${row}\r\n` });
    expect(csv.headers['content-disposition']).toBe('attachment; filename="watchlist.csv"');
    const { type, text } = await exported(key, '', `${NDJSON}, */*;q=0.1`);
    expect(type).toBe(NDJSON);
    expect(JSON.parse(text)).toEqual({
      domain: 'known.test',
      interval_minutes: 360,
      expiring_window_days: 30,
      tags: ['x', 'y'],
      note: null,
      purpose: 'monitor',
      status: 'registered',
      expires_at: '2027-01-01T00:00:00.000Z',
      last_checked_at: '2026-11-21T02:00:00.000Z',
      ...reminders,
    });
  });
});
