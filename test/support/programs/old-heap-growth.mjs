/**
 * Prints the megabytes that ten megabytes of parameters leave in the old generation of the heap, with a young collection
 * for each. In a process of its own: a collection of the old generation, which other work causes, would free them.
 */
import { argv, env } from 'node:process';
import { getHeapSpaceStatistics } from 'node:v8';
import pg from 'pg';
import { PooledClient } from '../../../src/platform/database/pooled-client.ts';

const MEGABYTE = 1e6;
const PARAMETER_BYTES = 0.1 * MEGABYTE;
const STATEMENTS_PER_ROUND = 10;
const ROUNDS = 10;
const CLIENTS = { driver: pg.Client, pooled: PooledClient };

const [, , client, settings, target] = argv;
const pool = new pg.Pool({
  connectionString: env.DATABASE_URL,
  max: 1,
  Client: CLIENTS[client],
  ...JSON.parse(settings),
});
const connection = target === 'pool' ? pool : await pool.connect();
let megabytes = 0;
for (let round = -1; round < ROUNDS; round += 1) {
  const before = oldMegabytes();
  for (let n = 0; n < STATEMENTS_PER_ROUND; n += 1) {
    const parameter = JSON.stringify({ round, n, text: 'x'.repeat(PARAMETER_BYTES) });
    await connection.query('select length($1)', [parameter]);
  }
  for (let twice = 0; twice < 2; twice += 1) globalThis.gc({ type: 'minor' });
  if (round >= 0) megabytes += oldMegabytes() - before; // the first round loads and compiles
}
console.log(megabytes);
if (connection !== pool) connection.release();
await pool.end();

function oldMegabytes() {
  const old = getHeapSpaceStatistics().filter(({ space_name: name }) => /^(old|large_object)_space$/.test(name));
  return old.reduce((sum, { space_used_size: bytes }) => sum + bytes, 0) / MEGABYTE;
}
