import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DomainName, toRegistrationRecord } from '../../../../src/domains/language.js';
import { Clock, MINUTE } from '../../../../src/kernel/clock.js';
import { UnitOfWork } from '../../../../src/kernel/unit-of-work.js';
import { ApplyCheckResult } from '../../../../src/watchlist/checks/apply-check-result.js';
import { CountMassChanges, ReportMassChanges } from '../../../../src/watchlist/records/mass-changes.js';
import type { WatchEntry } from '../../../../src/watchlist/domain/watch-entry.js';
import type { MassChangeEventData, RecordChangedEventData } from '../../../../src/watchlist/language.js';
import { anObservation, at, facts } from '../../../unit/watchlist/builders.js';
import { COMMON_CHANGE, CommonChanges } from '../../../unit/watchlist/common-changes.js';
import { runService } from '../run-service.js';

const NAMES = Number(process.env['MASS_NAMES'] ?? 100);
/** The default of BRAKE_RECORD_CHANGES_PER_HOUR. */
const LIMIT = 20;
const WRITERS = 8;
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
const nth = (n: number) => `mass-${n}.test`;

/** No worker takes part: the second lookup of each name, which confirms the change, is written by hand. */
describe('names whose registrar changes all at once', () => {
  const { running, call, query, part } = runService({
    ROLE: 'api',
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'watch@example.test',
    NOTIFICATIONS_EMAIL_CONFIRMATION: 'false',
    PUBLIC_URL: 'https://namewatch.example',
  });
  let webhook: string;
  let mailbox: string;

  beforeAll(async () => {
    const open = async (body: object) =>
      String((await call({ method: 'POST', path: '/v1/notifications', body })).body['id']);
    webhook = await open({ type: 'webhook', target: 'https://hooks.example.test/mass' });
    mailbox = await open({ type: 'email', target: 'ada@example.test' });
    await watch(nth(0), running.service.account.key);
    await query(`update watch_entries set created_at = now() - interval '2 hours'`);
    for (const minutes of [60, 50]) await show(nth(0), 'One', minutes);
    await show(nth(0), 'Two', 40);
    await copyFirst();
  });

  const watch = (domain: string, key: string) =>
    call({ method: 'POST', path: '/v1/watchlist', body: { domain, intent: 'own' }, key });
  const show = (domain: string, registrar: string, minutes: number) => {
    const record = toRegistrationRecord({ registrar: { name: registrar } });
    const seen = anObservation(facts.registered, minutesAgo(minutes), { record });
    return part(ApplyCheckResult).applyUnleased(DomainName.restore(domain), seen);
  };
  /** Every other name is as far as the first one: a lookup has shown the other registrar. */
  const copyFirst = async () => {
    for (const [table, own, values] of [
      ['watched_names', ['domain'], `'mass-' || n || '.test'`],
      ['watch_entries', ['domain', 'id'], `'mass-' || n || '.test', id || n`],
      ['registration_records', ['domain'], `'mass-' || n || '.test'`],
    ] as const) {
      const { rows } = await query<{ columns: string }>(
        `select string_agg(format('%I', column_name), ', ') as columns from information_schema.columns
         where table_name = $1 and column_name <> all($2) and is_generated = 'NEVER'`,
        [table, own],
      );
      const columns = rows[0]?.columns ?? '';
      await query(
        `insert into ${table} (${own.join()}, ${columns})
         select ${values}, ${columns} from ${table}, generate_series(1, $2::int) n where domain = $1`,
        [nth(0), NAMES - 1],
      );
    }
  };
  const confirmAll = async (from: number, to: number) => {
    const numbers = Array.from({ length: to - from }, (_, i) => from + i).values();
    const writers = Array.from({ length: WRITERS }, async () => {
      for (const n of numbers) await show(nth(n), 'Two', 30);
    });
    await Promise.all(writers);
  };
  const changes = async () => {
    const { rows } = await query<{ data: RecordChangedEventData; channels: string[] }>(
      `select body::json -> 'data' as data, coalesce(array_agg(channel_id) filter (where channel_id is not null), '{}') as channels
       from events e left join deliveries d on d.event_id = e.id
       where e.type = 'watchlist.record_changed' group by e.id, e.body, e.seq order by e.seq`,
    );
    return rows;
  };
  const sentTo = async (channel: string) => (await changes()).filter(({ channels }) => channels.includes(channel));

  const anHourLater = () => query(`update change_windows set started_at = started_at - interval '61 minutes'`);
  const report = () => part(ReportMassChanges).run();
  const reports = async (channel: string) => {
    const { rows } = await query<{ data: MassChangeEventData }>(
      `select body::json -> 'data' as data from events e join deliveries d on d.event_id = e.id
       where e.type = 'watchlist.mass_change' and channel_id = $1 order by e.seq`,
      [channel],
    );
    return rows.map(({ data }) => data);
  };

  it('are an event and a change each; twenty and one more are sent, the others are in one message after the hour', async () => {
    await confirmAll(0, NAMES);
    const all = await changes();
    expect(new Set(all.map(({ data }) => data.domain)).size).toBe(NAMES);
    const { rows } = await query('select from registration_records where previous is not null');
    expect(rows).toHaveLength(NAMES);
    const held = all.filter(({ data }) => data.mass_change?.held).map(({ data }) => data.domain);
    for (const channel of [webhook, mailbox]) {
      const sent = await sentTo(channel);
      const few = Array.from({ length: LIMIT }, () => undefined);
      expect(sent.map(({ data }) => data.mass_change)).toEqual([...few, expect.objectContaining({ others: LIMIT })]);
      expect([...sent.map(({ data }) => data.domain), ...held]).toHaveLength(NAMES);
    }
    await report();
    expect(await reports(webhook)).toEqual([]);
    await anHourLater();
    await Promise.all([report(), report(), report()]);
    for (const channel of [webhook, mailbox])
      expect(await reports(channel)).toEqual([
        expect.objectContaining({
          kind: 'registrar',
          after: { name: 'Two', iana_id: null },
          intent: 'own',
          tags: [],
          names: held.length,
          domains: held.sort(),
        }),
      ]);
  }, 600_000);

  it('do not hide one that changes to something else, or that of another account', async () => {
    const { key } = await running.service.openAccount();
    const open = { method: 'POST', path: '/v1/notifications', key };
    const other = await call({
      ...open,
      body: { type: 'webhook', target: 'https://hooks.example.test/other' },
    });
    await watch(nth(2), key);
    await query(`update watch_entries set created_at = now() - interval '2 hours'`);
    for (const minutes of [20, 10]) await show(nth(2), 'Thief', minutes);
    for (const channel of [webhook, String(other.body['id'])]) {
      const [last] = (await sentTo(channel)).slice(-1);
      expect(last?.data).toMatchObject({ domain: nth(2), after: { name: 'Thief' } });
      expect(last?.data.mass_change).toBeUndefined();
    }
  });

  it('are one message again in the next hour, with what came since, and none in an hour without', async () => {
    await watch('late.test', running.service.account.key);
    await query(`update watch_entries set created_at = now() - interval '2 hours'`);
    for (const minutes of [25, 20]) await show('late.test', 'One', minutes);
    for (const minutes of [15, 10]) await show('late.test', 'Two', minutes);
    expect((await sentTo(webhook)).map(({ data }) => data.domain)).not.toContain('late.test');
    await anHourLater();
    await report();
    expect((await reports(webhook)).slice(1)).toEqual([expect.objectContaining({ names: 1, domains: ['late.test'] })]);
    await anHourLater();
    expect(await report()).toBe(0);
    expect((await query('select from held_changes')).rows).toEqual([]);
  });
});

/** As `CommonChanges` plays it, with the clock of the service. */
describe('the statements about the same change of many names', () => {
  const FEW = 3;
  const { running, query, part } = runService({ ROLE: 'api', BRAKE_RECORD_CHANGES_PER_HOUR: String(FEW) });

  it('obey the rule of the domain', async () => {
    const given = fc.array(
      fc.record({
        name: fc.constantFrom(...'abcdefgh'),
        pause: fc.constantFrom(0, 0, 0, 7, 40, 61),
        back: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 0, 20, 1_500),
      }),
      { maxLength: 25 },
    );
    const property = fc.asyncProperty(given, async (changes) => {
      const { id: accountId } = await running.service.openAccount();
      const entry = { accountId, intent: 'own', tags: [] } as unknown as WatchEntry;
      const change = { ...COMMON_CHANGE, before: { name: 'One', iana_id: null } };
      const model = new CommonChanges(FEW);
      let minute = 0;
      part(Clock).now = () => at(minute * MINUTE);
      for (const { name, pause, back } of [...changes, ...['a', 'b'].map((name) => ({ name, pause: 60, back: 0 }))]) {
        minute -= back;
        if (back > 0) model.putClockBack(back);
        if (back > 0) await part(ReportMassChanges).run();
        minute += pause;
        if (pause > 0) model.wait(pause, pause);
        if (pause > 0) await part(ReportMassChanges).run();
        const [mass] = await part(UnitOfWork).run(() =>
          part(CountMassChanges).run(
            DomainName.restore(`${name}.test`),
            'acme',
            [{ entry, change }],
            at(minute * MINUTE),
          ),
        );
        const sent = mass ? `sent, ${mass.others} others` : 'sent';
        expect(mass?.held ? 'held' : sent).toBe(model.sees({ name, minute }));
      }
      const { rows } = await query<{ names: string; listed: string }>(
        `select body::json #>> '{data,names}' as names, body::json #> '{data,domains}' as listed from events
         where account_id = $1 order by seq`,
        [accountId],
      );
      expect(rows).toEqual(
        model.messages.map(({ names, listed }) => {
          return { names: String(names), listed: listed.map((name) => `${name}.test`) };
        }),
      );
    });
    await fc.assert(property, { numRuns: process.env['ALL_CASES'] === '1' ? 40 : 10 });
  });
});
