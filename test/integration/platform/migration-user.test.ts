import { afterAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { readConfig } from '../../../src/config/config.js';
import { migrate } from '../../../src/app/migrate.js';
import { migrations } from '../../../src/migrations/index.js';
import { checkDatabase } from '../../../src/platform/diagnostics.js';
import { explainDatabaseErrors } from '../../../src/process/explain-database-errors.js';
import { freshDatabase } from '../../support/database/database.js';

const made: { url: string; users: string[] }[] = [];

async function run(url: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}

/** A database with two users, the first of which owns it. */
async function databaseOfTwo() {
  const url = await freshDatabase();
  const name = randomUUID().slice(0, 8);
  const users = [`owner_${name}`, `serving_${name}`];
  const [owner = '', serving = ''] = users.map((user) => Object.assign(new URL(url), { username: user }).href);
  const password = new URL(url).password;
  for (const user of users) await run(url, `create role "${user}" login password '${password}'`);
  await run(url, `alter database ${new URL(url).pathname.slice(1)} owner to "${users[0] ?? ''}"`);
  made.push({ url, users });
  return { owner, serving, superuser: url, servingUser: users[1] ?? '' };
}

const migrateAs = (DATABASE_URL: string, MIGRATION_DATABASE_URL = '') => {
  const MASTER_KEY = Buffer.alloc(32).toString('base64');
  const config = readConfig({ DATABASE_URL, MIGRATION_DATABASE_URL, MASTER_KEY });
  return explainDatabaseErrors(config, () => migrate(config));
};

afterAll(async () => {
  for (const { url, users } of made)
    for (const user of users) {
      await run(url, `reassign owned by "${user}" to current_user`);
      await run(url, `drop owned by "${user}"`);
      await run(url, `drop role "${user}"`);
    }
});

describe('namewatch doctor', () => {
  it('warns if the user of DATABASE_URL is a superuser or owns the tables', async () => {
    const { owner, serving, superuser } = await databaseOfTwo();
    await migrateAs(serving, owner);
    expect((await checkDatabase(superuser)).detail).toContain('warning: its user is a superuser');
    expect((await checkDatabase(owner)).detail).toContain('warning: its user owns the tables');
    expect((await checkDatabase(serving)).detail).not.toContain('warning');
  });
});

describe('the user of MIGRATION_DATABASE_URL', () => {
  it('migrates the database, and lets the user of DATABASE_URL only read and write rows', async () => {
    const { owner, serving } = await databaseOfTwo();
    expect(await migrateAs(serving, owner)).toBe(migrations.length);
    await run(serving, `insert into rate_limit_windows values ('a', 1, now())`);
    await run(serving, `insert into bullmq.meta values ('queue', 'field', 'value')`);
    await expect(run(serving, 'alter table events add own text')).rejects.toThrow('must be owner');
    await expect(run(serving, 'create table own (id integer)')).rejects.toThrow('permission denied');
  });

  it('is not needed if there is nothing to migrate', async () => {
    const { owner, serving } = await databaseOfTwo();
    await migrateAs(serving, owner);
    expect(await migrateAs(serving)).toBe(0);
    expect(await migrateAs(serving, 'postgres://none@127.0.0.1:1/none')).toBe(0);
  });

  it('restores privileges that the user of DATABASE_URL has lost', async () => {
    const { owner, serving, servingUser } = await databaseOfTwo();
    await migrateAs(serving, owner);
    await run(owner, `revoke delete on events from "${servingUser}"`);
    expect(await migrateAs(serving, owner)).toBe(0);
    await run(serving, 'delete from events');
  });

  it('is asked for in a one-line error if the user of DATABASE_URL may not migrate', async () => {
    const { serving, servingUser } = await databaseOfTwo();
    await expect(migrateAs(serving)).rejects.toThrow(
      `DATABASE_URL: the user "${servingUser}" may not migrate the database (permission denied for `,
    );
    await expect(migrateAs(serving)).rejects.toThrow('set MIGRATION_DATABASE_URL to the user who owns its tables');
  });

  it('causes a one-line error about MIGRATION_DATABASE_URL if nothing listens at that address', async () => {
    const { serving } = await databaseOfTwo();
    await expect(migrateAs(serving, 'postgres://owner@127.0.0.1:1/none')).rejects.toThrow(
      /^MIGRATION_DATABASE_URL: nothing is listening at 127.0.0.1:1 \(connection refused\)$/,
    );
  });
});
