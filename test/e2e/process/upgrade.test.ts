import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { generateApiKey } from '../../../src/auth/index.js';
import { FakeRegistry } from '../../../src/testing/fake-registry.js';
import { unlimitedBudgets } from '../../support/builders/budgets-file.js';
import { freshDatabase } from '../../support/database/database.js';
import { eventually } from '../../support/eventually.js';
import { WebhookReceiver } from '../../world/receiver.js';
import {
  findCommit,
  installCheckout,
  installCommit,
  findUpgradable,
  type InstalledVersion,
  installWithLaterMigrations,
} from '../../support/programs/installed-version.js';
import { ownEnvironment } from '../../support/programs/own-environment.js';
import { type ServiceProcess, startServiceProcess } from '../../support/servers/service-process.js';
import { testRedis } from '../../support/servers/test-redis.js';
import { MessageBus, UpgradeTraffic } from './upgrade-traffic.js';

jest.setTimeout(300_000); // whole processes start, also on a busy machine

/** `UPGRADE_FROM=v1.2.0 npm test -- test/e2e/process/upgrade` upgrades from another commit than the one before this one. */
const chosen = process.env['UPGRADE_FROM'];
const commit = chosen === undefined ? findUpgradable('HEAD~1') : findCommit(chosen);
const describeIfFound = commit === null ? describe.skip : describe;
const QUEUES = process.env['TEST_REDIS_URL'] ? ['redis', 'postgres'] : ['postgres'];

const ROLES = ['scheduler', 'worker', 'api'] as const;
type Role = (typeof ROLES)[number];
/** They are dropped and registered again, over and over. */
const NAMES = ['one.test', 'two.test', 'three.test', 'four.test'];
const NEWER = /the database is newer than this version of Namewatch: it has .*Migration/;

const folder = mkdtempSync(join(realpathSync(tmpdir()), 'namewatch-upgrade-'));
let before: InstalledVersion;
let current: InstalledVersion;
let later: InstalledVersion;
let hasSameSchema: boolean;

describeIfFound('an upgrade from the previous commit', () => {
  beforeAll(async () => {
    before = await installCommit(commit ?? '', join(folder, 'before'));
    current = await installCheckout(join(folder, 'current'));
    later = installWithLaterMigrations(current, join(folder, 'later'));
    if (readMigration(before, 'baseline.sql') !== readMigration(current, 'baseline.sql'))
      throw new Error(
        `the baseline is not that of ${commit}: no released one may change, and no other can be upgraded`,
      );
    hasSameSchema = readMigration(before, 'index.js') === readMigration(current, 'index.js');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('keeps all names in the embedded PostgreSQL, although each version is killed', async () => {
    const own = { DATA_DIR: join(folder, 'data'), BOOTSTRAP_API_KEY: generateApiKey().text, RDAP_BOOTSTRAP_URL: 'off' };
    const headers = { authorization: `Bearer ${own.BOOTSTRAP_API_KEY}`, 'content-type': 'application/json' };
    const added: string[] = [];
    const back = hasSameSchema ? [before, current] : [];
    for (const version of [before, current, ...back, later]) {
      const service = await startServiceProcess(own, undefined, [], version.launcher);
      added.push(`added-${added.length}.test`);
      const body = JSON.stringify({ domain: added.at(-1) });
      const answer = await fetch(`${service.address}/v1/watchlist`, { method: 'POST', headers, body });
      await service.kill('SIGKILL');
      expect(answer.status).toBe(201);
    }
    const last = await startServiceProcess(own, undefined, [], later.launcher);
    const watched = (await (await fetch(`${last.address}/v1/watchlist`, { headers })).json()) as {
      readonly data: readonly { readonly domain: string }[];
    };
    expect(watched.data.map(({ domain }) => domain).sort()).toEqual(added);
    await last.kill('SIGINT');
    await expect(startServiceProcess(own, undefined, [], before.launcher)).rejects.toThrow('ended with 78');
  });

  describe.each(QUEUES)('with the queue in %s', (queue) => {
    const key = generateApiKey().text;
    const running: { readonly version: InstalledVersion; readonly role: Role; readonly process: ServiceProcess }[] = [];
    const truth = new Map(NAMES.map((name) => [name, ['registered']]));
    let [registry, receiver, bus]: [FakeRegistry, WebhookReceiver, MessageBus] = [] as never;
    let [settings, traffic]: [Record<string, string>, UpgradeTraffic] = [] as never;
    let [database, other]: [pg.Client, pg.Client] = [] as never;

    beforeAll(async () => {
      [registry, receiver, bus] = await Promise.all([
        FakeRegistry.start(),
        WebhookReceiver.startTrusted(),
        MessageBus.start(),
      ]);
      const url = await freshDatabase();
      [database, other] = [new pg.Client(url), new pg.Client(url)];
      await Promise.all([database.connect(), other.connect()]);
      settings = {
        ...receiver.settings,
        DATABASE_URL: url,
        ...(queue === 'redis' ? { REDIS_URL: testRedis() } : {}),
        MASTER_KEY: randomBytes(32).toString('base64'),
        BOOTSTRAP_API_KEY: key,
        SANDBOX: 'false',
        RDAP_BOOTSTRAP_URL: 'off',
        DNS_SERVERS: 'off',
        RDAP_OVERRIDES: `test=${registry.url}`,
        LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8',
        LOOKUP_BUDGETS_FILE: unlimitedBudgets(),
        BRAKE_DROPS_PER_HOUR: '1000000',
        TIME_SCALE: '300',
        LEASE_SECONDS: '3',
        OUTBOX_URL: bus.url,
      };
      const addresses = () => running.filter(({ role }) => role === 'api').map(({ process }) => process.address);
      traffic = new UpgradeTraffic(key, addresses, (name) => registry.register(name));
    });
    afterAll(async () => {
      traffic.close();
      for (const { process } of running) await process.kill('SIGKILL');
      await Promise.all([database.end(), other.end(), registry.stop(), receiver.close(), bus.close()]);
    });

    const rows = async <Row = Record<string, unknown>>(text: string, values: unknown[] = []) =>
      (await database.query(text, values)).rows as Row[];
    const migrations = async () =>
      (await rows<{ name: string }>('select name from mikro_orm_migrations order by id')).map(({ name }) => name);

    const start = async (version: InstalledVersion, role: Role) => {
      const own = { ...settings, ROLE: role, EXTENSIONS: version.outbox };
      running.push({ version, role, process: await startServiceProcess(own, undefined, [], version.launcher) });
    };
    const take = (version: InstalledVersion, role: Role) => {
      const at = running.findIndex((one) => one.version === version && one.role === role);
      const [found] = at < 0 ? [] : running.splice(at, 1);
      if (found === undefined) throw new Error(`no ${role} of that version runs`);
      return found.process;
    };
    /** Role by role, the new process beside the old one. */
    const roll = async (from: InstalledVersion, to: InstalledVersion, roles: readonly Role[] = ROLES) => {
      for (const role of roles) {
        await start(to, role);
        await changeNames();
        expect(await take(from, role).kill('SIGTERM')).toBe(0);
      }
      await changeNames();
    };

    /** Resolves when every name has the other status, by whichever process checks it. */
    const changeNames = async () => {
      for (const [name, statuses] of truth) {
        const isDropped = statuses.at(-1) === 'registered';
        if (isDropped) registry.release(name);
        else registry.register(name);
        statuses.push(isDropped ? 'available' : 'registered');
      }
      await rows('update watched_names set next_check_at = now() where domain = any($1)', [NAMES]);
      const wanted = NAMES.map((domain) => ({ domain, status: truth.get(domain)?.at(-1) }));
      const shown = () => rows('select domain, status from watch_entries where domain = any($1)', [NAMES]);
      const isShown = (entries: Record<string, unknown>[]) =>
        wanted.every(({ domain, status }) =>
          entries.some((one) => one['domain'] === domain && one['status'] === status),
        );
      await eventually(shown, isShown, 60_000);
    };
    const unfinished = async () =>
      (await rows<{ count: number }>(`select count(*)::int as count from deliveries where state <> 'delivered'`))[0]
        ?.count ?? NaN;

    const spawnProgram = ({ launcher, outbox }: InstalledVersion, command: string): ChildProcess => {
      const own = {
        DATA_DIR: join(folder, 'commands'),
        PORT: '0',
        ROLE: 'worker',
        EXTENSIONS: outbox,
        LOG_LEVEL: 'info',
      };
      const env = { ...ownEnvironment(), ...settings, ...own };
      return spawn(process.execPath, [launcher, command], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    };
    const runProgram = async (version: InstalledVersion, command: string) => {
      const child = spawnProgram(version, command);
      let output = '';
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += String(chunk)));
      const [code] = (await once(child, 'close')) as [number | null];
      return { code, output };
    };
    /** @param moment a condition on its statement in pg_stat_activity */
    const killMigrationAt = async (moment: string) => {
      const child = spawnProgram(later, 'migrate');
      const exited = once(child, 'exit');
      const waiting = () => rows(`select pid from pg_stat_activity where datname = current_database() and ${moment}`);
      const [backend] = await eventually(waiting, ({ length }) => length > 0, 60_000);
      child.kill('SIGKILL');
      expect(await exited).toEqual([null, 'SIGKILL']);
      await rows('select pg_terminate_backend($1)', [backend?.['pid']]); // else it would notice only when its statement ends
    };

    it('begins while the old version still has deliveries to send', async () => {
      receiver.answersWith(500);
      for (const role of ['api', 'worker', 'scheduler'] as const) await start(before, role);
      await traffic.call('POST', '/v1/notifications', { type: 'webhook', target: receiver.url() });
      for (const domain of NAMES) {
        registry.register(domain);
        await traffic.call('POST', '/v1/watchlist', { domain });
      }
      const checked = () =>
        rows('select domain from watch_entries where has_confirmed_facts and domain = any($1)', [NAMES]);
      await eventually(checked, ({ length }) => length === NAMES.length);
      await traffic.start();
      await changeNames();
      expect(await unfinished()).toBeGreaterThanOrEqual(NAMES.length);
    });

    it('replaces one old process after the other, while status changes are still noticed', async () => {
      await start(current, 'worker');
      receiver.answersWith(204);
      await changeNames();
      await take(current, 'worker').kill('SIGKILL');
      await roll(before, current);
    });

    it('can be undone one process after the other, unless the new version has a migration', async () => {
      if (!hasSameSchema)
        return void expect(await runProgram(before, 'up')).toEqual({ code: 78, output: expect.stringMatching(NEWER) });
      await roll(current, before);
      await take(before, 'worker').kill('SIGKILL'); // while its version is not the only one
      await start(current, 'worker');
      await changeNames();
      await start(before, 'worker');
      await take(current, 'worker').kill('SIGINT');
      await roll(before, current);
    });

    it('completes its migration after kills at two steps, while old processes keep working', async () => {
      const known = await migrations();
      await other.query('begin');
      await other.query('select from watch_entries limit 1'); // holds a lock until it ends
      await killMigrationAt(`wait_event_type = 'Lock' and query like '%add column colour%'`);
      await other.query('commit');
      expect(await migrations()).toEqual(known);
      await changeNames();

      await other.query('begin isolation level repeatable read');
      await other.query('select from accounts'); // the index waits for those who may not see it
      await killMigrationAt(`query like 'create index concurrently%by_colour%' and wait_event_type = 'Lock'`);
      await other.query('commit');
      expect(await migrations()).toEqual([...known, 'Migration29990101000100LaterColumn']);
      await changeNames();

      expect(await runProgram(later, 'migrate')).toMatchObject({ code: 0 });
      expect(await migrations()).toHaveLength(known.length + 2);
      expect(
        await rows(`select indisvalid as valid from pg_index where indexrelid = 'watch_entries_by_colour'::regclass`),
      ).toEqual([{ valid: true }]);
      await changeNames();
    });

    it('leaves the old processes working if the first new process is killed while starting', async () => {
      const sessions = async () =>
        (await rows<{ pid: number }>('select pid from pg_stat_activity where datname = current_database()')).map(
          ({ pid }) => pid,
        );
      const others = await sessions();
      const child = spawnProgram(later, 'up');
      const exited = once(child, 'exit');
      await eventually(sessions, (pids) => pids.some((pid) => !others.includes(pid)), 60_000);
      child.kill('SIGKILL');
      expect(await exited).toEqual([null, 'SIGKILL']);
      await changeNames();
    });

    it('does not let the old version start again once the database is migrated', async () => {
      for (const [command, code] of [
        ['up', 78],
        ['migrate', 78],
        ['doctor', 1],
      ] as const) {
        const ended = await runProgram(before, command);
        expect(ended).toEqual({ code, output: expect.stringMatching(NEWER) });
      }
      await changeNames();
    });

    it('lets a new worker send again what a killed old worker was sending', async () => {
      const held: { readonly id: string; readonly reply: ServerResponse }[] = [];
      receiver.answers((reply, { headers }) => held.push({ id: String(headers['webhook-id']), reply }));
      await changeNames();
      await eventually(
        () => Promise.resolve(held.length),
        (count) => count > 0,
      );
      await take(current, 'worker').kill('SIGKILL');
      receiver.answersWith(204);
      for (const { reply } of held) reply.destroy();
      await start(later, 'worker');
      const arrivals = () => Promise.resolve(receiver.received.all.map(({ headers }) => headers['webhook-id']));
      await eventually(arrivals, (ids) => held.every(({ id }) => ids.filter((one) => one === id).length > 1), 60_000);
    });

    it('loses no name, no event and no delivery', async () => {
      await start(later, 'api');
      await take(current, 'api').kill('SIGKILL');
      await roll(current, later, ['scheduler']);
      const events = await traffic.stop();
      expect(traffic.unexpected).toEqual([]);

      const watched = await rows<{ domain: string }>(`select domain from watch_entries where domain like 'added-%'`);
      expect(watched.map(({ domain }) => domain)).toEqual(expect.arrayContaining(traffic.added));
      expect(traffic.read.map(({ id }) => id)).toEqual(events.map(({ id }) => id));
      for (const [name, statuses] of truth) {
        const changes = events.filter(
          ({ type, data }) => data.domain === name && /available|status_changed/.test(type),
        );
        expect(changes.map(({ data }) => data.status)).toEqual(statuses.slice(1));
        expect(changes.map(({ data }) => data.change_seq)).toEqual(changes.map((_, index) => index + 1));
      }

      await eventually(unfinished, (count) => count === 0, 120_000);
      const delivered = receiver.received.all.map(({ headers }) => headers['webhook-id']);
      const ids = events.filter(({ type }) => /available|status_changed/.test(type)).map(({ id }) => id);
      expect(delivered).toEqual(expect.arrayContaining(ids));
      await eventually(
        () => rows('select from outbox_messages'),
        ({ length }) => length === 0,
        60_000,
      );
      expect([...bus.received]).toEqual(expect.arrayContaining(ids));
      expect(traffic.added.length).toBeGreaterThan(100);
    });
  });
});

function readMigration({ launcher }: InstalledVersion, file: string): string {
  return readFileSync(join(dirname(launcher), '../dist/migrations', file), 'utf8');
}
