import pg from 'pg';
import { Agent } from 'undici';
import { redisForTests, startRedis } from '../../test/support/redis-server.mjs';
import { median, rounded } from '../contest.js';
import type { Figure, Plan, Suite } from '../suite.js';
import { throwawayPostgres } from '../throwaway-postgres.js';
import { besideHanging } from './hanging.js';
import { rawLoop } from './raw-loop.js';
import { Receivers } from './receivers.js';
import { Sender } from './sender.js';

/** Deliveries that are waiting when a second begins. */
const A_SECOND = 2_500;

/** Webhooks of 100 channels to 20 hosts, from waiting deliveries to attempts that are written down. */
export const suite: Suite = {
  name: 'deliveries',
  about:
    'webhook attempts made and recorded, against a loop of signed POSTs to the same receivers over open connections',
  measure: async (plan) => {
    const closing: (() => Promise<void>)[] = [];
    try {
      return await measure(plan, closing);
    } finally {
      for (const close of closing.reverse()) await close();
    }
  },
};

async function measure({ rounds, seconds }: Plan, closing: (() => Promise<void>)[]): Promise<Figure[]> {
  const receivers = await Receivers.start();
  closing.push(() => receivers.close());
  const agent = new Agent({ connect: { ca: receivers.authority }, connections: 5 });
  closing.push(() => agent.destroy());
  const senders = await startSenders(receivers, closing);

  const rates = new Map<string, number[]>([['raw', []]]);
  for (let round = 0; round <= rounds; round += 1) {
    const raw = await rawLoop(receivers.origins, agent, round === 0 ? 1 : seconds);
    if (round > 0) rates.get('raw')?.push(raw);
    for (const [name, sender] of senders) {
      await receivers.forget(agent);
      const many = A_SECOND * (round === 0 ? 1 : seconds);
      const rate = await sender.deliver(many);
      const { received, deliveries } = await receivers.seen(agent);
      if (received !== many || deliveries !== many)
        throw new Error(`${name}: ${received} of ${many} were received, ${deliveries} different ones`);
      if (round > 0) rates.set(name, [...(rates.get(name) ?? []), rate]);
    }
  }
  const raw = rates.get('raw') ?? [];
  const figures = [...senders.keys()].map((name) => figure(name, rates.get(name) ?? [], raw));
  for (const [name, sender] of senders)
    figures.push(await besideHanging(name, rounds * 2, { receivers, sender, agent }));
  return figures;
}

function figure(name: string, ours: readonly number[], raw: readonly number[]): Figure {
  return {
    what: name,
    unit: 'attempts/s',
    ours: Math.round(median(ours)),
    baseline: Math.round(median(raw)),
    ratio: rounded(median(ours.map((rate, round) => rate / (raw[round] ?? NaN)))),
    besides: { lowest: Math.round(Math.min(...ours)), highest: Math.round(Math.max(...ours)), rounds: ours.length },
  };
}

async function startSenders(receivers: Receivers, closing: (() => Promise<void>)[]): Promise<Map<string, Sender>> {
  const postgres = await throwawayPostgres();
  closing.push(() => postgres.close());
  const senders = new Map<string, Sender>();
  const start = async (name: string, env: Record<string, string>) => {
    const sender = await Sender.start(await databaseFor(name, postgres.url), receivers, env);
    closing.push(() => sender.close());
    senders.set(`on ${name}`, sender);
  };
  const redis = await redisServer();
  if (redis) {
    closing.push(redis.stop);
    await start('redis', { REDIS_URL: redis.url });
  }
  await start('postgresql', {});
  return senders;
}

async function redisServer(): Promise<{ url: string; stop: () => Promise<void> } | null> {
  const found = redisForTests();
  if (found?.program) return startRedis(found.program);
  if (found?.url) return { url: found.url, stop: () => Promise.resolve() };
  return null;
}

async function databaseFor(name: string, url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`create database ${client.escapeIdentifier(`on_${name}`)}`);
  await client.end();
  const own = new URL(url);
  own.pathname = `/on_${name}`;
  return own.href;
}
