import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { Agent, request } from 'undici';
import { answerOrders } from '../child.js';

/**
 * The least that any correct watcher does: claims due names under a lease, asks their registry, compares the facts, and
 * writes what is still leased. One process, in plain `pg` and `undici`; it runs until nothing is due.
 */
export interface Order {
  readonly registry: string;
}

const BATCH = 200;
/** So that one asks while the other writes. */
const BATCHES_AT_A_TIME = 2;
const IN_FLIGHT = 32;

const CLAIM = {
  name: 'claim',
  text: `update names set token = $1, leased_until = now() + interval '60 s'
         where domain in (select domain from names where next_check_at <= now() and leased_until <= now()
                          order by next_check_at limit ${BATCH} for update skip locked)
         returning domain, facts`,
};
const WRITE = {
  name: 'write',
  text: `update names n set leased_until = '-infinity', last_checked_at = t.at, next_check_at = t.at + interval '1 day'
         from unnest($1::text[], $2::timestamptz[]) t(domain, at)
         where n.domain = t.domain and n.token = $3 and n.leased_until > now()`,
};

interface DueName {
  readonly domain: string;
  readonly facts: string;
}

interface RdapRecord {
  readonly ldhName: string;
  readonly status: readonly string[];
  readonly events: readonly { readonly eventAction: string; readonly eventDate: string }[];
}

const database = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: BATCHES_AT_A_TIME });
const agent = new Agent({ connections: IN_FLIGHT });

async function run({ registry }: Order): Promise<number> {
  const counts = await Promise.all(Array.from({ length: BATCHES_AT_A_TIME }, () => checkDueNames(registry)));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function checkDueNames(registry: string): Promise<number> {
  for (let checked = 0; ;) {
    const token = randomUUID();
    const { rows } = await database.query<DueName>({ ...CLAIM, values: [token] });
    if (rows.length === 0) return checked;
    const times = await checkAll(rows, registry);
    await database.query({ ...WRITE, values: [rows.map(({ domain }) => domain), times, token] });
    checked += rows.length;
  }
}

/** @returns when each was asked about */
async function checkAll(names: readonly DueName[], registry: string): Promise<string[]> {
  const times: string[] = [];
  const remaining = names.entries();
  const worker = async () => {
    for (const [at, { domain, facts }] of remaining) {
      times[at] = new Date().toISOString();
      if ((await findFacts(domain, registry)) !== facts)
        throw new Error(`${domain} has changed, which is not measured`);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT / BATCHES_AT_A_TIME }, worker));
  return times;
}

/** Returns the facts as they are stored. */
async function findFacts(domain: string, registry: string): Promise<string> {
  const { statusCode, body } = await request(`${registry}domain/${domain}`, { dispatcher: agent });
  const record = JSON.parse(await body.text()) as RdapRecord;
  if (statusCode !== 200 || record.ldhName.toLowerCase() !== domain) throw new Error(`${domain}: ${statusCode}`);
  const dateOf = (action: string) => record.events.find(({ eventAction }) => eventAction === action)?.eventDate;
  return [...record.status, dateOf('registration'), dateOf('expiration')].join();
}

answerOrders(run);
