import { setTimeout as pause } from 'node:timers/promises';
import type { CommandChild } from '../child.js';
import { closeAll } from '../cleanup.js';
import { median, rounded } from '../comparison.js';
import { type OpenLoad, percentile, startOpenLoop } from '../open-loop.js';
import type { Figure, RunOptions, Suite } from '../suite.js';
import { type Kind, type Stage, startStage } from './stage.js';

const KINDS = { list: 'a page of 20', cached: 'a check of a known name', live: 'a live check' } as const;
const KIND_NAMES = Object.keys(KINDS) as Kind[];

/** One process, or one for each role: the scheduler has little to do, so it stands beside the worker. */
const DEPLOYMENTS = [
  { roles: ['all'], what: 'ROLE=all' },
  { roles: ['api', 'worker', 'scheduler'], what: 'a process for each role' },
];

/** People ask at fixed times while the workers have more due names than they can check, and while they have none. */
export const suite: Suite = {
  name: 'mixed',
  about: 'requests at fixed times beside a worker at full rate, against the same requests beside an idle one',
  measure,
};

type Latencies = Record<Kind, number[]>;

async function measure(plan: RunOptions): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { roles, what } of DEPLOYMENTS) {
    const mix = new Mix(await startStage(roles), await startOpenLoop(), plan);
    figures.push(...(await mix.compare(what)));
    await closeAll();
  }
  return figures;
}

class Mix {
  private readonly idle: Latencies = { list: [], cached: [], live: [] };
  private readonly busy: Latencies = { list: [], cached: [], live: [] };
  /** Names checked in a second, with people and without. */
  private readonly besidePeople: number[] = [];
  private readonly alone: number[] = [];

  constructor(
    private readonly stage: Stage,
    private readonly loop: CommandChild<OpenLoad, number[][]>,
    private readonly options: RunOptions,
  ) {}

  async compare(what: string): Promise<Figure[]> {
    const { rounds, seconds } = this.options;
    await this.ask(null, 2, 0.25); // code that was never run is slow: the full rate would be refused
    await this.ask(null, 2);
    await this.whileBusy(() => this.ask(null, 2));
    for (let round = 0; round < rounds; round += 1) {
      await this.ask(this.idle, seconds);
      this.besidePeople.push(await this.whileBusy(() => this.ask(this.busy, seconds)));
      this.alone.push(await this.whileBusy(() => pause(seconds * 1_000)));
    }
    return KIND_NAMES.map((kind) => this.toFigure(kind, what));
  }

  /** @param part of the usual rates */
  private async ask(into: Latencies | null, seconds: number, part = 1): Promise<void> {
    const streams = KIND_NAMES.map((kind) => ({
      ...this.stage.streams[kind],
      rate: this.stage.streams[kind].rate * part,
    }));
    const answers = await this.loop.run({ streams, seconds });
    KIND_NAMES.forEach((kind, nth) => into?.[kind].push(...(answers[nth] ?? [])));
  }

  /** @returns names checked in a second meanwhile */
  private async whileBusy(work: () => Promise<unknown>): Promise<number> {
    await this.stage.names.makeDue();
    const since = await this.stage.names.now();
    const began = performance.now();
    await work();
    const seconds = (performance.now() - began) / 1_000;
    return (await this.stage.names.putOff(since)) / seconds;
  }

  private toFigure(kind: Kind, what: string): Figure {
    const [idle, busy] = [this.idle[kind], this.busy[kind]];
    const [ours, baseline] = [percentile(busy, 0.99), percentile(idle, 0.99)];
    return {
      what: `${KINDS[kind]} beside due names, ${what}`,
      unit: 'ms at p99',
      ratio: rounded(ours / baseline),
      ours: rounded(ours),
      baseline: rounded(baseline),
      besides: {
        'p50 ms': rounded(percentile(busy, 0.5)),
        'p50 ms idle': rounded(percentile(idle, 0.5)),
        'requests/s': this.stage.streams[kind].rate,
        'names/s meanwhile': Math.round(median(this.besidePeople)),
        'names/s without requests': Math.round(median(this.alone)),
        rounds: this.options.rounds,
      },
    };
  }
}
