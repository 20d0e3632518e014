import { parseArgs } from 'node:util';
import type { Queue } from './measured-costs.js';

export interface SimulationOptions {
  readonly names: number;
  readonly workers: number;
  readonly schedulers: number;
  readonly intervalHours: number;
  readonly postgresCores: number;
  readonly registryMs: number;
  readonly queue: Queue;
  /** Times the built-in rate limits; null: none. */
  readonly limits: number | null;
  /** Replace the measured ones; null leaves those. */
  readonly workerUs: number | null;
  readonly postgresUs: number | null;
  readonly claimMs: number | null;
  readonly figures: string;
  readonly json: boolean;
}

/** Options that make no sense; the message says so in one sentence. */
export class SimulationOptionError extends Error {}

const text = { type: 'string' } as const;
const QUEUES: readonly Queue[] = ['redis', 'postgresql'];

/** @throws SimulationOptionError */
export function parseSimulationOptions(args: readonly string[]): SimulationOptions {
  const values = parse(args);
  const whole = (name: string, given: string | undefined, most: number) =>
    number(name, given, { least: 1, most, isWhole: true });
  const cost = (name: string, given: string | undefined) =>
    given === undefined ? null : number(name, given, { least: 0.001, most: 1e9, isWhole: false });
  const queue = QUEUES.find((one) => one === (values.queue ?? 'redis'));
  if (!queue) throw new SimulationOptionError(`--queue is redis or postgresql, not "${values.queue}"`);
  return {
    names: whole('names', values.names, 1e10),
    workers: whole('workers', values.workers, 10_000),
    schedulers: whole('schedulers', values.schedulers ?? '2', 100),
    intervalHours: number('interval-hours', values['interval-hours'], { least: 0.01, most: 8_760, isWhole: false }),
    postgresCores: whole('postgres-cores', values['postgres-cores'] ?? '4', 1_024),
    registryMs: number('registry-ms', values['registry-ms'] ?? '100', { least: 0, most: 60_000, isWhole: false }),
    queue,
    limits:
      values.limits === 'none'
        ? null
        : number('limits', values.limits ?? '1', { least: 0.001, most: 1e6, isWhole: false }),
    workerUs: cost('worker-us', values['worker-us']),
    postgresUs: cost('postgres-us', values['postgres-us']),
    claimMs: cost('claim-ms', values['claim-ms']),
    figures: values.figures ?? 'bench/figures.json',
    json: values.json,
  };
}

function parse(args: readonly string[]) {
  try {
    const options = {
      names: text,
      workers: text,
      schedulers: text,
      'interval-hours': text,
      'postgres-cores': text,
      'registry-ms': text,
      queue: text,
      limits: text,
      'worker-us': text,
      'postgres-us': text,
      'claim-ms': text,
      figures: text,
      json: { type: 'boolean', default: false } as const,
    };
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    const [sentence = ''] = (error as Error).message.split(/\.\s/);
    throw new SimulationOptionError(sentence, { cause: error });
  }
}

interface Range {
  readonly least: number;
  readonly most: number;
  readonly isWhole: boolean;
}

function number(name: string, given: string | undefined, { least, most, isWhole }: Range): number {
  const value = /^\d+(\.\d+)?(e\d+)?$/.test(given ?? '') ? Number(given) : NaN;
  if (value >= least && value <= most && (!isWhole || Number.isInteger(value))) return value;
  const kind = isWhole ? 'a whole number' : 'a number';
  const not = given === undefined ? 'and is required' : `not "${given}"`;
  throw new SimulationOptionError(`--${name} is ${kind} from ${least} to ${most}, ${not}`);
}
