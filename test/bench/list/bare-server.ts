import Fastify from 'fastify';
import { LRUCache } from 'lru-cache';
import pg from 'pg';
import { parseApiKey, verifyKey, type StoredKey } from '../../../src/auth/domain/api-key.js';
import { STORED_KEYS } from '../../../src/auth/accounts/api-keys.repository.js';
import {
  type PageRequest,
  countStatement,
  pageStatement,
} from '../../../src/watchlist/entries/watchlist-page.repository.js';

/** The baseline: what the route costs with nothing but Fastify and the driver, authentication and SQL being ours. */
interface Row {
  readonly last_checked_at: Date | null;
  readonly created_at: Date;
}

const newest: PageRequest = {
  filters: { accountId: '' },
  page: 1,
  perPage: 20,
  sort: 'created_at' as const,
  descending: true,
  expanded: false,
};
const [PAGE, COUNT] = [pageStatement(newest).statement, countStatement(newest.filters).statement];
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 });
const believed = new LRUCache<string, StoredKey>({ max: 1_000, ttl: 900 });
const fastify = Fastify();

fastify.get<{ Querystring: { page?: string; per_page?: string } }>('/v1/watchlist', async (request, reply) => {
  const key = parseApiKey(request.headers.authorization?.replace(/^Bearer /, '') ?? '');
  if (!key) return reply.status(401).send();
  const stored = believed.get(key.digest) ?? (await storedKey(key.id));
  if (!stored || !verifyKey(stored, key, new Date())) return reply.status(401).send();
  believed.set(key.digest, stored);
  const page = Number(request.query.page ?? 1);
  const perPage = Number(request.query.per_page ?? 20);
  const [rows, count] = await Promise.all([
    pool.query<Row>({ ...PAGE, values: [stored.accountId, perPage, (page - 1) * perPage] }),
    pool.query<{ total: number }>({ ...COUNT, values: [stored.accountId] }),
  ]);
  const data = rows.rows.map((row) => ({
    ...row,
    last_checked_at: row.last_checked_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  }));
  return { data, meta: { page, per_page: perPage, total: count.rows[0]?.total ?? 0 } };
});

async function storedKey(id: string): Promise<StoredKey | null> {
  const { rows } = await pool.query<StoredKey>({ ...STORED_KEYS, values: [[id]] });
  return rows[0] ?? null;
}

console.log(`ready at ${await fastify.listen({ port: 0, host: '127.0.0.1' })}`);
process.once('SIGTERM', () => void fastify.close().then(() => pool.end()));
