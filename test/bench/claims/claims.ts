import { median, rounded } from '../comparison.js';
import { seededPostgres } from '../seeded-postgres.js';
import type { Figure, RunOptions, Suite } from '../suite.js';
import { dueNames } from './names.js';
import { DUE, Schedule } from './schedule.js';

const SIZES = [10_000, 1_000_000];
/** So many rounds leave as many dead rows and index entries behind as a fast service does in half a minute. */
const UNSWEPT = 50;

/** The times of a size, in milliseconds a round: right after a vacuum, and long after one. */
interface Took {
  readonly swept: number[];
  readonly unswept: number[];
}

/** Names that are due, from the question who has any to the last lease; `--sizes` watches other numbers of names. */
export const suite: Suite = {
  name: 'claims',
  about: `claiming ${DUE} due names of twenty operators, among all that are watched, against the fewest of these`,
  limitSeconds: 900, // ten million names are seeded in two minutes, and vacuumed in each of the first rounds
  measure,
};

async function measure({ rounds, sizes, keep }: RunOptions): Promise<Figure[]> {
  const schedules = new Map<number, Schedule>();
  for (const names of sizes ?? SIZES) {
    const url = await seededPostgres(dueNames(names), keep);
    schedules.set(names, await Schedule.of(names, url));
  }
  await inTurns(schedules, 2); // the first ones open connections and make plans
  console.error(`${rounds} rounds, each after a vacuum`);
  const swept = await inTurns(schedules, rounds, (schedule) => schedule.vacuum());
  console.error(`${UNSWEPT} rounds without a vacuum, and then the ${rounds} that count`);
  await inTurns(schedules, UNSWEPT);
  const unswept = await inTurns(schedules, rounds);
  const took = (names: number): Took => ({ swept: swept.get(names) ?? [], unswept: unswept.get(names) ?? [] });
  const fewest = Math.min(...schedules.keys());
  return [...schedules.keys()].map((names) => figure(names, took(names), names === fewest ? null : took(fewest)));
}

/** Other work of the machine slows all sizes alike. */
async function inTurns(
  schedules: ReadonlyMap<number, Schedule>,
  rounds: number,
  before: (schedule: Schedule) => Promise<void> = () => Promise.resolve(),
): Promise<Map<number, number[]>> {
  const took = new Map([...schedules.keys()].map((names) => [names, [] as number[]]));
  for (let round = 0; round < rounds; round += 1)
    for (const [names, schedule] of schedules) {
      await before(schedule);
      took.get(names)?.push(await schedule.round());
    }
  return took;
}

function figure(names: number, ours: Took, fewest: Took | null): Figure {
  const long = `after ${UNSWEPT} rounds without a vacuum`;
  return {
    what: `among ${names}`,
    unit: 'ms',
    ours: rounded(median(ours.swept)),
    baseline: fewest && rounded(median(fewest.swept)),
    ratio: fewest && ratioOf(ours.swept, fewest.swept),
    besides: {
      slowest: rounded(Math.max(...ours.swept)),
      [`ms ${long}`]: rounded(median(ours.unswept)),
      ...(fewest && { [`ratio ${long}`]: ratioOf(ours.unswept, fewest.unswept) }),
      rounds: ours.swept.length,
    },
  };
}

function ratioOf(ours: readonly number[], theirs: readonly number[]): number {
  return rounded(median(ours.map((took, round) => took / (theirs[round] ?? NaN))));
}
