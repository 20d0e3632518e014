import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { endConnectionAt, queriesOf, type Step } from '../../../support/database/held-step.js';
import { jsonLinesOf, NDJSON } from '../../../support/json-lines.js';
import type { Answer } from '../../../support/servers/test-service.js';
import { runService } from '../run-service.js';

jest.setTimeout(180_000);

const names = Array.from({ length: 600 }, (_, n) => `n${n}.test`);
const toLines = (domains: readonly string[], settings: object = {}) =>
  domains.map((domain) => `${JSON.stringify({ domain, ...settings })}\n`).join('');

const { running, call, query } = runService({ ROLE: 'api' }); // no periodic task takes the work over

let account: { id: string; key: string };
beforeEach(async () => {
  account = await running.service.openAccount('selfhost');
});

interface Upload {
  readonly body: string;
  readonly type?: string;
  readonly query?: string;
  readonly accept?: string;
}
const send = ({ body, type = NDJSON, query = '', accept = 'application/json' }: Upload) =>
  call({
    method: 'POST',
    path: `/v1/watchlist/import${query}`,
    key: account.key,
    body,
    headers: { 'content-type': type, accept },
  });
const sync = (body: string, accept?: string) =>
  send({ body, query: '?mode=sync&scope_tag=file&max_removals=600', ...(accept !== undefined && { accept }) });

/** Sends it while the connection that reaches the step ends there. */
async function interrupted(step: Step, upload: () => Promise<Answer>): Promise<Answer> {
  const endConnection = await endConnectionAt(queriesOf(running.database), step);
  const [answer] = await Promise.all([upload(), endConnection()]);
  return answer;
}

const watched = async () => {
  const { rows } = await query<{ domain: string }>(
    'select domain from watch_entries where account_id = $1 order by length(domain), domain',
    [account.id],
  );
  return rows.map(({ domain }) => domain);
};
const records = async () => {
  const { rows } = await query<{ action: string; after: string }>(
    `select action, state_after as after from audit_records
     where account_id = $1 and action like 'watchlist.import%' order by xid, seq`,
    [account.id],
  );
  return rows.map(({ action, after }) => [action, JSON.parse(after) as unknown]);
};
const atLine = (line: number): Step => ({
  table: 'watch_entries',
  act: 'insert',
  condition: `new.domain = 'n${line - 1}.test'`,
});

describe('an import that loses its database connection', () => {
  it.each([
    { format: 'CSV', upload: { body: `domain\n${names.join('\n')}\n`, type: 'text/csv' }, last_line: 201 },
    { format: 'NDJSON', upload: { body: toLines(names) }, last_line: 200 },
  ])(
    'answers 503 with what was stored, and stores the rest when the $format file is sent again',
    async ({ upload, last_line }) => {
      const answer = await interrupted(atLine(350), () => send(upload));
      expect(answer).toMatchObject({
        status: 503,
        headers: { 'retry-after': '2' },
        body: { code: 'database_unavailable', retryable: true, written: 200, last_line },
      });
      expect(answer.body['detail']).toBe(
        `The import was interrupted: 200 entries were added, and every line up to line ${last_line} is done. The ` +
          'names written last may be stored or not. Send the whole file again: that is safe, and does the rest.',
      );
      expect(await watched()).toEqual(names.slice(0, 200));
      expect(await records()).toEqual([['watchlist.imported', { created: 200 }]]);
      expect((await send(upload)).body).toMatchObject({ created: 400, existing: 200, failed: 0 });
    },
  );

  it('reports the interruption in the last row of a stream; the other rows list stored names', async () => {
    const answer = await interrupted(atLine(350), () => send({ body: toLines(names), accept: NDJSON }));
    const rows = jsonLinesOf(answer);
    expect(rows.at(-1)).toMatchObject({ code: 'database_unavailable', written: 200, last_line: 200 });
    expect(rows.slice(0, -1).map(({ domain }) => domain)).toEqual(await watched());
  });

  it('says "nothing is known to be written" if its first transaction was interrupted', async () => {
    const answer = await interrupted(atLine(1), () => send({ body: toLines(names) }));
    expect(answer).toMatchObject({ status: 503, body: { written: 0, last_line: null } });
    expect(answer.body['detail']).toBe(
      'The import was interrupted: nothing is known to be written. The names written last may be stored or not. ' +
        'Send the whole file again: that is safe, and does the rest.',
    );
    expect(await records()).toEqual([]);
  });
});

describe('a sync that loses its database connection', () => {
  beforeEach(async () => {
    await sync(toLines(names.slice(0, 200), { note: 'old' }) + toLines(['gone-1.test', 'gone-2.test']));
  });
  const target = toLines(names.slice(0, 200), { note: 'new' }) + toLines(names.slice(200));

  it.each<{ at: string; step: Step; written: number; last_line: number | null; says: string }>([
    {
      at: 'the change of an entry',
      written: 0,
      last_line: null,
      says: 'nothing is known to be written.',
      step: { table: 'watch_entries', act: 'update', condition: `new.domain = 'n170.test'` },
    },
    {
      at: 'the addition of an entry',
      written: 200,
      last_line: 200,
      says: '200 entries were changed, and every line up to line 200 is done.',
      step: atLine(350),
    },
    {
      at: 'the removal of an entry',
      written: 600,
      last_line: 600,
      says: '400 entries were added, 200 changed, and every line up to line 600 is done.',
      step: { table: 'watch_entries', act: 'delete', condition: `old.domain = 'gone-2.test'` },
    },
  ])(
    'says what was stored, and does the rest when sent again, if interrupted at $at',
    async ({ step, written, last_line, says }) => {
      const before = (await records()).length;
      const answer = await interrupted(step, () => sync(target));
      expect(answer).toMatchObject({ status: 503, body: { code: 'database_unavailable', written, last_line } });
      expect(answer.body['detail']).toContain(`The import was interrupted: ${says}`);
      const left = (await records()).slice(before).map(([, after]) => after as Record<string, unknown>);
      expect(left.every(({ scope_tag }) => scope_tag === 'file')).toBe(true);
      expect(left.reduce((sum, { created = 0, changed = 0 }) => sum + Number(created) + Number(changed), 0)).toBe(
        written,
      );
      expect((await sync(target)).body).toMatchObject({ total: 600, failed: 0 });
      expect(await watched()).toEqual(names);
      expect((await sync(target)).body).toMatchObject({ created: 0, changed: 0, removed: 0, existing: 600 });
    },
  );

  it('says that nothing was written if interrupted while its changes are being planned', async () => {
    const lock = new pg.Client(running.service.databaseUrl);
    await lock.connect();
    await lock.query('begin; lock table watch_entries');
    const planned = sync(target);
    await endWaiting();
    const answer = await planned;
    await lock.end();
    expect(answer.body).toMatchObject({ code: 'database_unavailable', written: 0, last_line: null });
    expect(answer.body['detail']).toMatch(/^The import was interrupted: nothing was written\./);
  });
});

async function endWaiting(): Promise<void> {
  for (let ended = 0; ended === 0;) {
    const { rows } = await query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    ended = rows.length;
  }
}

describe('a bulk change that loses its database connection', () => {
  const many = (method: 'PATCH' | 'DELETE', accept = '*/*') =>
    call({
      method,
      path: '/v1/watchlist?domain=n',
      key: account.key,
      headers: { accept },
      ...(method === 'PATCH' && { body: { interval_minutes: 1440 } }),
    });
  const ends = async () => {
    const { rows } = await query<{ action: string; after: string }>(
      `select action, state_after as after from audit_records
       where account_id = $1 and action like 'watchlist.%_many' order by xid, seq`,
      [account.id],
    );
    return rows.map(({ action, after }) => [action, JSON.parse(after) as unknown]);
  };
  const about = { filter: 'domain=n', matched: 300 };
  beforeEach(async () => void (await send({ body: toLines(names.slice(0, 300)) })));

  it.each(['application/json', NDJSON])(
    'says how many entries changed, and changes the rest when sent again: answer as %s',
    async (accept) => {
      const step: Step = { table: 'watch_entries', act: 'update', condition: `new.domain = 'n97.test'` }; // in the second batch
      const answer = await interrupted(step, () => many('PATCH', accept));
      const last = accept === NDJSON ? jsonLinesOf(answer).at(-1) : answer.body;
      expect(last).toMatchObject({
        code: 'database_unavailable',
        written: 200,
        detail:
          'The change was interrupted: 200 entries were changed. The names written last may be stored or not. Send ' +
          'it again: that is safe, and does the rest.',
      });
      const fields = { ...about, interval_minutes: 1440 };
      expect(await ends()).toEqual([['watchlist.changed_many', { ...fields, changed: 200 }]]);
      expect((await many('PATCH')).body).toMatchObject({ matched: 300, changed: 100, unchanged: 200 });
      expect((await ends())[1]).toEqual(['watchlist.changed_many', { ...fields, changed: 100 }]);
    },
  );

  it('records in the audit log how many entries each attempt removed', async () => {
    const step: Step = { table: 'watch_entries', act: 'delete', condition: `old.domain = 'n97.test'` };
    expect(await interrupted(step, () => many('DELETE'))).toMatchObject({ status: 503, body: { written: 200 } });
    expect(await watched()).toHaveLength(100);
    expect((await many('DELETE')).body).toMatchObject({ matched: 100, removed: 100 });
    expect(await watched()).toEqual([]);
    expect(await ends()).toEqual([
      ['watchlist.removed_many', { ...about, removed: 200 }],
      ['watchlist.removed_many', { ...about, matched: 100, removed: 100 }],
    ]);
  });
});
