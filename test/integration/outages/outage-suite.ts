import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../support/eventually.js';
import { OutageService, OVERDUE, type Reply, up } from './outage-service.js';

jest.setTimeout(180_000);

/**
 * The least time of an outage: longer than a lease. Nothing waits longer after a longer outage. The service
 * reconnects to Redis once a second, to PostgreSQL at every use, and releases claims that could not be enqueued.
 * OUTAGE_SECONDS=60 makes it a whole minute.
 */
const OUTAGE = Number(process.env.OUTAGE_SECONDS ?? 2.2) * 1_000;

/** Keeps something wrong until everything was seen that must be seen meanwhile. */
export async function during(
  outage: (lasting: Promise<unknown>) => Promise<void>,
  sight: () => Promise<void>,
): Promise<void> {
  const enough = Promise.withResolvers<void>();
  const over = outage(enough.promise);
  await Promise.all([sight(), pause(OUTAGE)]).finally(enough.resolve);
  await over;
}

const HALVES = `
  select 'an entry without its name' as half from watch_entries e
    where not exists (select from watched_names n where n.domain = e.domain and n.next_check_at is not null)
  union all select 'a name without an entry' from watched_names n
    where n.next_check_at is not null and not exists (select from watch_entries e where e.domain = n.domain)
  union all select 'a move without its event' from watch_entries e
    where e.change_seq <> (select count(*) from events v where v.entry_id = e.id)
  union all select 'an event without a delivery' from events v
    where not exists (select from deliveries d where d.event_id = v.id)`;

/** PostgreSQL and Redis go wrong under the real service; the same for each queue. */
export function outageSuite(queue: string, withRedis: boolean, more: (of: () => OutageService) => void): void {
  describe(`the service, with the queue on ${queue}`, () => {
    let service: OutageService;
    const added: string[] = [];

    beforeAll(async () => {
      service = await OutageService.start(withRedis);
      await service.watch('at-first');
      await service.heals('at-first');
    });
    afterAll(() => service.stop());

    more(() => service);

    /** A name that is accepted as soon as possible, and checked. */
    const heals = async (label: string) => {
      const overAt = performance.now();
      await eventually(
        () => service.watch(label),
        ({ status }) => status === 201 || status === 409,
      );
      added.push(label);
      await service.heals(label, overAt);
    };
    /** A probe holds for a second, and each takes a while to give a silent database up. */
    const reportsTheDatabase = async () => {
      await eventually(
        () => service.troubles(),
        (troubles) => troubles['database'] === 'unavailable',
      );
      const metrics = await service.scrape();
      expect(metrics.get(up('database'))).toBe(0);
      expect(metrics.has(OVERDUE)).toBe(false); // 0 would be a lie
      expect(metrics.get('process_start_time_seconds')).toBeGreaterThan(0);
    };

    it('survives a crash of PostgreSQL', async () => {
      await service.postgres.crash();
      await heals('crashed');
    });

    it('survives that PostgreSQL closes all its connections', async () => {
      await eventually(() => succeeds(service.postgres.hangUp()), Boolean); // our own connection crashed as well
      await heals('hung-up');
    });

    it('refuses requests while PostgreSQL is unavailable, reports it, and continues', async () => {
      await during(
        (lasting) => service.postgres.away(lasting),
        async () => {
          const { status, retryAfter, body } = await service.watch('away');
          expect([status, body['code']]).toEqual([503, 'database_unavailable']);
          expect(retryAfter).toMatch(/^\d+$/);
          await reportsTheDatabase();
        },
      );
      await heals('away');
    });

    it('never hangs while PostgreSQL is silent, reports it, and continues', async () => {
      let asked: Promise<Reply> | undefined;
      await during(
        (lasting) => service.postgres.silent(lasting),
        async () => {
          asked = service.watch('asked-in-silence');
          await reportsTheDatabase();
        },
      );
      expect([201, 503]).toContain((await asked)?.status); // no more is known than of a request that is lost
      await heals('silent');
    });

    it('kept everything that it confirmed, and nothing half done', async () => {
      const { body } = await service.call('GET', '/v1/watchlist?per_page=100');
      const kept = (body['data'] as { domain: string }[]).map(({ domain }) => domain);
      expect(kept).toEqual(expect.arrayContaining(added.map((label) => `${label}--expiring.test`)));
      expect(await service.postgres.query(HALVES)).toEqual([]);
    });
  });
}

function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}
