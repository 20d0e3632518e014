import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { redisForTests } from '../support/servers/redis-server.mjs';
import { INVARIANTS } from './invariants/all.js';
import { runSeed, type SeedRun } from './run-seed.js';
import type { Queue, Cluster } from './cluster/cluster.js';

/**
 * `npm run faults [-- --seeds 2 --seconds 30 --seed 1 --queue redis|postgres --mutant <name>]`: six service
 * processes under injected faults, and the invariants that have to hold. See docs/faults.md.
 */
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '2' },
    /** The first run has this one. */
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    seconds: { type: 'string', default: '30' },
    names: { type: 'string', default: '38' },
    /** Runs alternate without it. */
    queue: { type: 'string' },
    mutant: { type: 'string' },
    /** Keeps the logs of successful runs too. */
    keep: { type: 'boolean', default: false },
  },
});

const MAX_SHOWN = 5;
const QUEUES: readonly Queue[] = ['redis', 'postgres'];
/** Without a Redis to start, PostgreSQL is left alone. */
const AVAILABLE_QUEUES: readonly Queue[] = redisForTests()?.program === undefined ? ['postgres'] : QUEUES;

const first = whole('seed', values.seed);
const seconds = whole('seconds', values.seconds);
const names = whole('names', values.names);
const mutant = oneOf('mutant', values.mutant, mutantNames());
const queue = oneOf('queue', values.queue, QUEUES);
let current: Cluster | null = null;
let [passed, failed] = [0, 0];

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void (current?.close(false) ?? Promise.resolve()).finally(() => process.exit(1)));

for (let seed = first; seed < first + whole('seeds', values.seeds); seed += 1) {
  const options = {
    seed,
    seconds,
    names,
    mutant,
    queue: queue ?? AVAILABLE_QUEUES[seed % AVAILABLE_QUEUES.length] ?? 'postgres',
    log: console.log,
  };
  const before = failed;
  try {
    reportRun(await runSeed(options, (cluster) => (current = cluster)));
  } catch (error) {
    report('the run completed', false, [(error as Error).stack ?? String(error)]);
  }
  const hasFailed = failed > before;
  await (current as Cluster | null)?.close(hasFailed || values.keep);
  if (hasFailed) {
    console.log(`logs are in ${(current as Cluster | null)?.folder}; to repeat this run:`);
    const mutantOption = mutant === null ? '' : ` --mutant ${mutant}`;
    console.log(
      `npm run faults -- --seeds 1 --seed ${seed} --seconds ${seconds} --queue ${options.queue}${mutantOption}`,
    );
  }
  current = null;
}
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

function reportRun({ finalState, coverage }: SeedRun): void {
  for (const { what, isMet } of coverage) report(what, isMet, []);
  for (const { name, description, check } of INVARIANTS) {
    const { summary, violations } = check(finalState);
    report(`${name} ${description}: ${summary}`, violations.length === 0, violations);
  }
}

function report(what: string, isRight: boolean, violations: readonly string[]): void {
  if (isRight) passed += 1;
  else failed += 1;
  console.log(`  ${isRight ? 'ok    ' : 'FAILED'} ${what}`);
  for (const violation of violations.slice(0, MAX_SHOWN)) console.log(`         ${violation}`);
  if (violations.length > MAX_SHOWN) console.log(`         and ${violations.length - MAX_SHOWN} more`);
}

function mutantNames(): string[] {
  return readdirSync(join(import.meta.dirname, 'mutants')).map((file) => file.replace(/\.ts$/, ''));
}

function whole(name: string, text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  return refuse(`--${name} takes a whole number, not ${text}`);
}

function oneOf<Word extends string>(name: string, text: string | undefined, words: readonly Word[]): Word | null {
  if (text === undefined) return null;
  return words.find((word) => word === text) ?? refuse(`--${name} is one of ${words.join(', ')}, not ${text}`);
}

function refuse(why: string): never {
  console.error(why);
  process.exit(2);
}
