import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { chownSync, statSync } from 'node:fs';
import pg from 'pg';
import { eventually } from '../../support/eventually.js';
import { serviceDatabase, startTestService, type TestService } from '../../support/servers/test-service.js';
import { SmallDisk } from '../../support/servers/small-disk.js';
import { TcpProxy } from '../../world/proxy.js';

jest.setTimeout(180_000);

const missing = `/v1/watchlist/wl_${'0'.repeat(26)}`;

const disk = SmallDisk.mount(2);

let proxy: TcpProxy;
let service: TestService;
/** Reaches the database while the service cannot. */
let admin: pg.Client;
beforeAll(async () => {
  const url = new URL(await serviceDatabase());
  admin = new pg.Client(url.href);
  await admin.connect();
  proxy = await TcpProxy.start({ host: url.hostname, port: Number(url.port) });
  url.port = String(proxy.port);
  service = await startTestService({ DATABASE_URL: url.href, DATABASE_POOL: '2' });
});
afterAll(async () => {
  proxy.heal();
  await service.close();
  await proxy.close();
  await dropTemporarySpace();
  await admin.end();
  disk?.unmount();
});

const add = (domain: string) => service.call({ method: 'POST', path: '/v1/watchlist', body: { domain } });
/** A connection of the pool that PostgreSQL has just ended may answer the first reads with 503. */
const names = async () => {
  const { body } = await eventually(
    () => service.call({ path: '/v1/watchlist?per_page=100' }),
    ({ status }) => status === 200,
  );
  return (body['data'] as { domain: string }[]).map(({ domain }) => domain).sort();
};
const ready = () => service.call({ path: '/readyz', key: null });

async function setReadOnly(state: 'on' | 'off'): Promise<void> {
  const { rows } = await admin.query<{ name: string }>('select current_database() as name');
  await admin.query('set transaction_read_only = off').catch(() => undefined);
  await admin.query(`alter database "${rows[0]?.name}" set default_transaction_read_only = ${state}`);
  await endConnections();
}

async function endConnections(): Promise<void> {
  await admin.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  );
}

/** Every table then grows no more, as on a full disk (SQLSTATE 53100); rows can still be read. */
const FILL = `
  create function fill() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
  do $$ declare one text; begin
    for one in select tablename from pg_tables where schemaname = 'public' loop
      execute format('create trigger full_disk before insert or update on %I for each row execute function fill()', one);
    end loop;
  end $$`;

/** Puts nearly everything that PostgreSQL sorts and hashes on this disk from now on, instead of into memory. */
async function setTemporarySpace(folder: string): Promise<void> {
  const { rows } = await admin.query<{ name: string; data: string }>(
    `select current_database() as name, current_setting('data_directory') as data`,
  );
  const [{ name, data } = { name: '', data: '' }] = rows;
  const { uid, gid } = statSync(data);
  chownSync(folder, uid, gid);
  await admin.query(`create tablespace "${name}" location '${folder}'`);
  await admin.query(`grant create on tablespace "${name}" to public`); // else the service's role would not use it
  await admin.query(`alter database "${name}" set temp_tablespaces = "${name}"`);
  await admin.query(`alter database "${name}" set work_mem = '64kB'`);
  await endConnections();
}

/** The server has it for all of its databases. */
async function dropTemporarySpace(): Promise<void> {
  const { rows } = await admin.query<{ name: string }>(
    'select spcname as name from pg_tablespace where spcname = current_database()',
  );
  for (const { name } of rows) {
    await admin.query(`alter database "${name}" reset temp_tablespaces`);
    await admin.query(`drop tablespace "${name}"`);
  }
}

const manyTags = (n: number) => Array.from({ length: 5 }, (_, m) => `tag-${n}-${m}-${'x'.repeat(30)}`).join(';');

const HALVES = `
  select e.domain from watch_entries e left join watched_names n on n.domain = e.domain where n.domain is null
  union all select n.domain from watched_names n left join watch_entries e on e.domain = n.domain
    where e.domain is null and n.next_check_at is not null`;

const statusOf = async (domain: string) => {
  const { body } = await service.call({ path: `/v1/watchlist?domain=${domain}` });
  return ((body['data'] ?? []) as { status: string }[])[0]?.status;
};

describe('a service that cannot reach its database', () => {
  it('answers 503, stores nothing, and continues when the database is back', async () => {
    expect((await add('before.test')).status).toBe(201);
    proxy.cut();
    const refused = await add('during.test');
    expect(refused).toMatchObject({
      status: 503,
      headers: { 'retry-after': expect.any(String) },
      body: { code: 'database_unavailable', retryable: true },
    });
    expect(JSON.stringify(refused.body)).not.toMatch(/ECONN|select|insert|Connection/);
    expect(await service.call({ path: '/v1/watchlist' })).toMatchObject({ status: 503 });
    expect((await ready()).body).toMatchObject({
      code: 'not_ready',
      checks: { database: 'unavailable' },
    });
    expect((await service.call({ path: '/livez', key: null })).status).toBe(200);

    proxy.heal();
    await eventually(
      () => add('after.test'),
      ({ status }) => status === 201,
    );
    const { body } = await service.call({ path: '/v1/watchlist' });
    expect((body['data'] as { domain: string }[]).map(({ domain }) => domain)).toEqual(['after.test', 'before.test']);
    await eventually(ready, ({ status }) => status === 200);
  });

  it('works again after each of four outages, because its pool loses no connection', async () => {
    for (let outage = 0; outage < 4; outage += 1) {
      proxy.cut();
      const refused = await Promise.all([add('x.test'), add('y.test'), add('z.test')]);
      expect(refused.map(({ status }) => status)).toEqual([503, 503, 503]);
      proxy.heal();
      await eventually(
        () => service.call({ method: 'DELETE', path: missing }),
        ({ status }) => status === 404,
      );
    }
  });
});

describe('a service whose database refuses writes', () => {
  it('answers reads, refuses writes with 503, and recovers, if the database is read-only', async () => {
    expect((await add('before--expiring.test')).status).toBe(201);
    await setReadOnly('on');
    const refused = await eventually(
      () => add('unwritten.test'),
      ({ status }) => status === 503,
    );
    expect(refused).toMatchObject({
      headers: { 'retry-after': expect.any(String) },
      body: { code: 'database_unavailable' },
    });
    expect(await names()).toContain('before--expiring.test');
    expect((await eventually(ready, ({ status }) => status === 503)).body).toMatchObject({
      checks: { database: 'unavailable' },
    });

    await setReadOnly('off');
    await eventually(
      () => add('writable.test'),
      ({ status }) => status === 201,
    );
    expect(await names()).toEqual(expect.arrayContaining(['before--expiring.test', 'writable.test']));
    expect(await names()).not.toContain('unwritten.test');
    await eventually(ready, ({ status }) => status === 200);
  });

  it('answers reads, refuses writes with 503, and recovers, if the database’s disk is full', async () => {
    await eventually(
      () => add('kept.test'),
      ({ status }) => status === 201,
    );
    await admin.query(FILL);
    for (const domain of ['full--expiring.test', 'full.test'])
      expect(await add(domain)).toMatchObject({
        status: 503,
        headers: { 'retry-after': expect.any(String) },
        body: { code: 'database_unavailable' },
      });
    expect(await names()).toContain('kept.test');
    expect(JSON.stringify(await add('full.test'))).not.toContain('No space');
    expect((await admin.query(HALVES)).rows).toEqual([]);

    await admin.query('drop function fill cascade');
    await eventually(
      () => add('space--expiring.test'),
      ({ status }) => status === 201,
    );
    expect(
      await eventually(
        () => statusOf('space--expiring.test'),
        (status) => status === 'expiring',
      ),
    ).toBe('expiring');
    expect(await names()).not.toContain('full.test');
  });

  const itOnSmallDisk = disk === null ? it.skip : it;
  itOnSmallDisk('refuses only requests that need temporary disk space if that space is full', async () => {
    const lines = Array.from({ length: 1_000 }, (_, n) => `temporary${n}.test,${manyTags(n)}`);
    const imported = { method: 'POST', path: '/v1/watchlist/import', headers: { 'content-type': 'text/csv' } };
    const { body } = await service.call({ ...imported, body: ['domain,tags', ...lines].join('\n') });
    expect(body).toMatchObject({ created: lines.length });
    const tags = () => service.call({ path: '/v1/watchlist/tags' });
    await setTemporarySpace(disk?.path ?? '');
    await eventually(tags, ({ status }) => status === 200); // the connections are new

    disk?.fill();
    for (let n = 0; n < 4; n += 1)
      // whichever connection of the pool it takes
      expect(await tags()).toMatchObject({
        status: 503,
        headers: { 'retry-after': expect.any(String) },
        body: { code: 'database_unavailable' },
      });
    await eventually(
      () => add('beside.test'),
      ({ status }) => status === 201,
    );
    expect(await names()).toContain('beside.test');

    disk?.makeSpace();
    expect((await tags()).status).toBe(200);
  });
});
