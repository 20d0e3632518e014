import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { FaultyPostgres } from '../../faults/cluster/postgres.js';

let folder: string;
let postgres: FaultyPostgres;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'namewatch-faulty-postgres-'));
  chmodSync(folder, 0o755); // PostgreSQL's user walks through it
  postgres = await FaultyPostgres.start(folder);
});
afterAll(async () => {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('a query of the harness', () => {
  it('waits while PostgreSQL restarts after a crash', async () => {
    const crash = postgres.crash();
    expect(await postgres.query('select 1 as one')).toEqual([{ one: 1 }]);
    await crash;
    expect(await postgres.query('select 2 as two')).toEqual([{ two: 2 }]);
  });

  it('fails at once when the statement is wrong', async () => {
    await expect(postgres.query('select nothing')).rejects.toThrow('column "nothing" does not exist');
  });
});

describe('a statement of the service', () => {
  it('takes longer while PostgreSQL is slow, and is answered', async () => {
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    const [over, end] = [Promise.withResolvers<void>(), performance.now() + 100];
    const slow = postgres.slow(over.promise, 100);

    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    expect(performance.now()).toBeGreaterThan(end - 5);

    over.resolve();
    await slow;
    await client.end();
  });
});
