import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { redisForTests } from '../test/support/servers/redis-server.mjs';
import { INVARIANTS } from './invariants/all.js';
import { runSeed, type SeedRun } from './run-seed.js';
import type { Queue, Stage } from './stage.js';

/**
 * `npm run faults [-- --seeds 2 --seconds 30 --seed 1 --queue redis|postgres --broken <what>]`: the service in six
 * processes while everything around it goes wrong, and what has to hold all the same. See docs/faults.md.
 */
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '2' },
    /** The first one. */
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    seconds: { type: 'string', default: '30' },
    names: { type: 'string', default: '54' },
    /** Else they take turns. */
    queue: { type: 'string' },
    broken: { type: 'string' },
    /** Leaves logs and arrivals of good runs too. */
    keep: { type: 'boolean', default: false },
  },
});

const MOST_SHOWN = 5;
const QUEUES: readonly Queue[] = ['redis', 'postgres'];
/** Without a Redis to start, only one is left to take turns. */
const FOUND: readonly Queue[] = redisForTests()?.program === undefined ? ['postgres'] : QUEUES;

const first = whole('seed', values.seed);
const seconds = whole('seconds', values.seconds);
const names = whole('names', values.names);
const broken = oneOf('broken', values.broken, variants());
const queue = oneOf('queue', values.queue, QUEUES);
let current: Stage | null = null;
let [passed, failed] = [0, 0];

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void (current?.close(false) ?? Promise.resolve()).finally(() => process.exit(1)));

for (let seed = first; seed < first + whole('seeds', values.seeds); seed += 1) {
  const options = {
    seed,
    seconds,
    names,
    broken,
    queue: queue ?? FOUND[seed % FOUND.length] ?? 'postgres',
    tell: console.log,
  };
  const before = failed;
  try {
    judge(await runSeed(options, (stage) => (current = stage)));
  } catch (error) {
    report('the run came to its end', false, [(error as Error).stack ?? String(error)]);
  }
  const hasFailed = failed > before;
  await (current as Stage | null)?.close(hasFailed || values.keep);
  if (hasFailed) {
    console.log(`logs and arrivals are in ${(current as Stage | null)?.folder}; the same script once more:`);
    const variant = broken === null ? '' : ` --broken ${broken}`;
    console.log(`npm run faults -- --seeds 1 --seed ${seed} --seconds ${seconds} --queue ${options.queue}${variant}`);
  }
  current = null;
}
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

function judge({ evidence, substance }: SeedRun): void {
  for (const { what, isEnough } of substance) report(what, isEnough, []);
  for (const { name, says, judge: find } of INVARIANTS) {
    const { about, violations } = find(evidence);
    report(`${name} ${says}: ${about}`, violations.length === 0, violations);
  }
}

function report(what: string, isRight: boolean, violations: readonly string[]): void {
  if (isRight) passed += 1;
  else failed += 1;
  console.log(`  ${isRight ? 'ok    ' : 'FAILED'} ${what}`);
  for (const violation of violations.slice(0, MOST_SHOWN)) console.log(`         ${violation}`);
  if (violations.length > MOST_SHOWN) console.log(`         and ${violations.length - MOST_SHOWN} more`);
}

function variants(): string[] {
  return readdirSync(join(import.meta.dirname, 'broken')).map((file) => file.replace(/\.ts$/, ''));
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
