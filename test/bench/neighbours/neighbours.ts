import { startCommandChild, startScript } from '../child.js';
import type { Figure, RunOptions, Suite } from '../suite.js';
import type { Order, Scenario } from './busy-account.js';
import { type Answers, latencies, QuietAccount } from './quiet-account.js';
import { SharedService } from './shared-service.js';

const SCENARIOS: Readonly<Record<Scenario, string>> = {
  sorting: '(a) sorts its entries on 30 connections',
  importing: '(b) imports 10 000 names beside 200 parallel POSTs',
  uploading: '(c) holds 10 slow uploads open',
  watching: '(d) has 10 000 names of its own looked up',
};

/** Rounds take longer than those of other suites: the worst of a hundred answers is wanted, and an import has to fit. */
const AT_LEAST_SECONDS = 10;

/** The effect on an account while another account does much, within its own limits. */
export const suite: Suite = {
  name: 'neighbours',
  about: 'p99 of an account that lists and adds while another one is busy, against its own p99 while no other is',
  limitSeconds: 900, // four scenarios of three rounds, each of twenty seconds and what its lookups take
  measure,
};

async function measure({ rounds, seconds, sizes }: RunOptions): Promise<Figure[]> {
  const registry = await startScript('watch/registry.ts');
  const service = await SharedService.start(registry.address);
  const busy = await startCommandChild<Order, { done: true }>('neighbours/busy-account.ts', {
    SERVICE: service.address,
    KEY: service.busyKey,
    DATABASE: service.databaseUrl,
    ENTRIES: String(sizes?.[0] ?? 100_000),
  });
  const quiet = new QuietAccount(service.address, service.quietKey);
  await quiet.use(2);

  const figures: Figure[] = [];
  for (const scenario of Object.keys(SCENARIOS) as Scenario[]) {
    const settle = () => (scenario === 'watching' ? service.finishLookups() : service.postponeLookups());
    await busy.run({ prepare: scenario });
    await settle();
    const [idle, beside]: [Answers[], Answers[]] = [[], []];
    const failedBefore = service.failed.jobs;
    for (let round = 0; round < rounds; round += 1) {
      idle.push(await quiet.use(Math.max(seconds, AT_LEAST_SECONDS)));
      await busy.run({ begin: scenario });
      beside.push(await quiet.use(Math.max(seconds, AT_LEAST_SECONDS)));
      await busy.run({ end: scenario });
      await settle();
    }
    const lost = (await service.namesWithoutLookup()) + service.failed.jobs - failedBefore;
    for (const kind of ['list', 'add'] as const)
      figures.push(figure(`${SCENARIOS[scenario]}: ${kind}`, kind, { idle, beside, lost, rounds }));
  }
  return figures;
}

interface Seen {
  readonly idle: readonly Answers[];
  readonly beside: readonly Answers[];
  readonly lost: number;
  readonly rounds: number;
}

function figure(what: string, kind: 'list' | 'add', { idle, beside, lost, rounds }: Seen): Figure {
  const [ours, baseline] = [latencies(beside, kind), latencies(idle, kind)];
  return {
    what,
    unit: 'ms p99',
    ours: ours.p99,
    baseline: baseline.p99,
    ratio: Math.round((ours.p99 / baseline.p99) * 100) / 100,
    besides: {
      p50: ours.p50,
      'idle p50': baseline.p50,
      worst: ours.worst,
      'idle worst': baseline.worst,
      refusals: refusals(beside),
      'refusals while idle': refusals(idle),
      'lookups lost': lost,
      answers: ours.answers,
      rounds,
    },
  };
}

function refusals(all: readonly Answers[]): number {
  return all.reduce((sum, { refused }) => sum + refused, 0);
}
