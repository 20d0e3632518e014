import { Agent } from 'undici';
import { atEnd } from '../cleanup.js';
import { median, rounded, spread } from '../comparison.js';
import { startOnEachQueue } from '../queues.js';
import type { Figure, RunOptions, Suite } from '../suite.js';
import { besideHanging } from './hanging.js';
import { rawLoop } from './raw-loop.js';
import { Receivers } from './receivers.js';
import { Sender } from './sender.js';

/** `--sizes` gives another number of channels. */
const CHANNELS = 100;
/** Deliveries that are waiting when a second begins. */
const DELIVERIES_PER_SECOND = 2_500;
/** Opens all connections again: they were closed if others took their turns for longer than idle ones are kept. */
const WARM_UP_DELIVERIES = 400;

/** Webhooks of 100 channels to 20 hosts, from waiting deliveries to attempts that are written down. */
export const suite: Suite = {
  name: 'deliveries',
  about:
    'webhook attempts made and recorded by one process and its PostgreSQL, against one process that only makes signed POSTs to the same receivers',
  measure,
};

async function measure({ rounds, seconds, sizes }: RunOptions): Promise<Figure[]> {
  const receivers = await Receivers.start();
  const agent = new Agent({ connect: { ca: receivers.authority }, connections: 5 });
  atEnd(() => agent.destroy());
  const received = async () => (await receivers.seen(agent)).received;
  const deliverAll = async (name: string, many: number, sender: Sender) => {
    await receivers.forget(agent);
    await sender.deliver(WARM_UP_DELIVERIES, received);
    await receivers.forget(agent);
    const rate = await sender.deliver(many, received);
    const seen = await receivers.seen(agent);
    if (seen.received !== many || seen.deliveries !== many)
      throw new Error(`${name}: ${seen.received} of ${many} were received, ${seen.deliveries} different ones`);
    return rate;
  };
  const channels = sizes?.[0] ?? CHANNELS;
  const senders = await startOnEachQueue((databaseUrl, env) => Sender.start(databaseUrl, receivers, channels, env));

  const contestants = new Map<string, (seconds: number) => Promise<number>>([
    ['raw', (duration) => warmRawLoop(receivers.origins, agent, duration)],
  ]);
  for (const [name, sender] of senders)
    contestants.set(name, (duration) => deliverAll(name, DELIVERIES_PER_SECOND * duration, sender));

  const rates = new Map<string, number[]>();
  for (let round = 0; round <= rounds; round += 1) {
    // each comes first as often as last, so that what else the machine does weighs on all alike
    const order = round % 2 === 0 ? [...contestants] : [...contestants].reverse();
    for (const [name, run] of order) {
      const rate = await run(round === 0 ? 1 : seconds);
      if (round > 0) rates.set(name, [...(rates.get(name) ?? []), rate]);
    }
  }
  const raw = rates.get('raw') ?? [];
  const figures = [...senders.keys()].map((name) => figure(name, rates.get(name) ?? [], raw));
  for (const [name, sender] of senders)
    figures.push(await besideHanging(name, rounds * 2, { receivers, sender, agent }));
  return figures;
}

async function warmRawLoop(origins: readonly string[], agent: Agent, seconds: number): Promise<number> {
  await rawLoop(origins, agent, 0.2);
  return rawLoop(origins, agent, seconds);
}

function figure(name: string, ours: readonly number[], raw: readonly number[]): Figure {
  const ratios = ours.map((rate, round) => rate / (raw[round] ?? NaN));
  return {
    what: name,
    unit: 'attempts/s',
    ours: Math.round(median(ours)),
    baseline: Math.round(median(raw)),
    ratio: rounded(median(ratios)),
    besides: {
      lowest: Math.round(Math.min(...ours)),
      highest: Math.round(Math.max(...ours)),
      ...spread(ratios),
      rounds: ours.length,
    },
  };
}
