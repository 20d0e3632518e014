import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { LookupPriority } from '../../../../src/domains/domain/lookup/operator-budget.js';
import type { Permit, Rejection } from '../../../../src/domains/infrastructure/rate-limiting/registry-admission.js';
import type { OperatorHealth } from '../../../../src/domains/infrastructure/rate-limiting/postgres-operator-health-repository.js';
import { MINUTE, SECOND } from '../../../../src/kernel/clock.js';
import { eventually } from '../../../support/eventually.js';
import { TestClock } from '../../../support/fakes/test-clock.js';
import { type TestGate, TestGates } from './test-rate-limiters.js';

const ANSWERED = { kind: 'answered' } as const;
const failed = (domain = 'a.example') => ({ kind: 'failed', domain }) as const;

let clock: TestClock;
let gates: TestGates;
let one: TestGate;
let other: TestGate;
const passes: Permit[] = [];

beforeAll(async () => {
  Logger.overrideLogger(false);
  clock = new TestClock();
  gates = await TestGates.open(
    {
      slow: { per_second: 0.05, burst: 3, concurrency: 10 },
      steady: { per_second: 20, burst: 1, concurrency: 10 },
      narrow: { per_second: 0, burst: 1, concurrency: 2 },
      lanes: { per_second: 10, burst: 1, concurrency: 10 },
      asking: { per_second: 0, burst: 1, concurrency: 5 },
      ...Object.fromEntries(
        ['blocks', 'long', 'breaks', 'mends', 'anew', 'throttles', 'ill', 'fronts'].map((name) => [
          name,
          { per_second: 0 },
        ]),
      ),
    },
    clock,
  );
});
beforeEach(async () => {
  [one, other] = [await gates.process(), await gates.process()];
});
afterEach(() => passes.splice(0).forEach((pass) => pass.release(ANSWERED)));
afterAll(() => gates.close());

async function entered(coming: Promise<Permit | Rejection>): Promise<Permit> {
  const pass = await coming;
  if (pass.kind === 'rejected') throw new Error(`withheld: ${pass.reason}`);
  passes.push(pass);
  return pass;
}

async function fail(process: TestGate, operator: string, times: number): Promise<void> {
  for (let time = 0; time < times; time++) (await entered(process.enter(operator))).release(failed(`${time}.example`));
}

/** Until the process has read from the database what another one wrote. */
function learns(
  process: TestGate,
  operator: string,
  what: (standing: OperatorHealth) => boolean,
): Promise<OperatorHealth> {
  const read = async () => (await process.standings.refresh(), process.standings.get(operator));
  return eventually(read, what);
}

describe('an operator’s budget', () => {
  it('is shared: what one process spent is not there for the other, which hears at once when to come again', async () => {
    for (let question = 0; question < 2; question++) (await entered(one.enter('slow'))).release(ANSWERED);
    (await entered(other.enter('slow'))).release(ANSWERED);
    const late = await other.enter('slow');
    expect(late).toMatchObject({ kind: 'rejected', reason: 'budget' });
    expect(late).toHaveProperty('retryAfterSeconds', expect.any(Number));
    expect((late as Rejection).retryAfterSeconds).toBeGreaterThan(15);
    expect((late as Rejection).retryAfterSeconds).toBeLessThanOrEqual(20);
  });

  it('lets those wait who get a token in time', async () => {
    const coming = Array.from({ length: 8 }, () => one.enter('steady'));
    const began = performance.now();
    for (const each of coming) (await entered(each)).release(ANSWERED);
    expect(performance.now() - began).toBeGreaterThan(300);
  });

  it('gives the next token to the higher lane', async () => {
    await entered(one.enter('lanes'));
    const order: LookupPriority[] = [];
    const comes = async (lane: LookupPriority) => {
      (await entered(one.enter('lanes', { priority: lane, maxWaitMs: 10 * SECOND }))).release(ANSWERED);
      order.push(lane);
    };
    await Promise.all((['routine', 'check', 'drop_window', 'check', 'routine', 'drop_window'] as const).map(comes));
    expect(order).toEqual(['drop_window', 'drop_window', 'check', 'check', 'routine', 'routine']);
  });

  it('bounds the questions under way in all processes together', async () => {
    const first = await entered(one.enter('narrow'));
    await entered(other.enter('narrow'));
    const third = one.enter('narrow', { priority: 'check', maxWaitMs: 600 });
    expect(await third).toMatchObject({ kind: 'rejected', reason: 'budget' });
    const fourth = other.enter('narrow', { priority: 'check', maxWaitMs: 10 * SECOND });
    first.release(ANSWERED);
    await entered(fourth);
  });

  it('is there for others as soon as a process ends in good order', async () => {
    const ending = await gates.process();
    const [first, second] = [await entered(ending.enter('narrow')), await entered(ending.enter('narrow'))];
    first.release(ANSWERED);
    ending.gate.onModuleDestroy();
    second.release(ANSWERED);
    await entered(other.enter('narrow', { priority: 'check', maxWaitMs: 600 }));
    await entered(one.enter('narrow', { priority: 'check', maxWaitMs: 600 }));
  });

  it('costs no statement while a slot is in hand and no rate is set', async () => {
    (await entered(one.enter('asking'))).release(ANSWERED);
    const before = one.statements.count;
    for (let question = 0; question < 100; question++) (await entered(one.enter('asking'))).release(ANSWERED);
    expect(one.statements.count).toBe(before);
  });

  it('is one question at a time for a process that cannot reach the database, and never none', async () => {
    const alone = await gates.process('postgres://nobody@127.0.0.1:1/none');
    const first = await entered(alone.enter('narrow'));
    expect(await alone.enter('narrow', { priority: 'check', maxWaitMs: 600 })).toMatchObject({ reason: 'budget' });
    first.release(ANSWERED);
    await entered(alone.enter('narrow'));
  });
});

describe('an operator that wants to be left alone', () => {
  const minute = { kind: 'throttled', domain: 'a.example', retryAfterSeconds: 60 } as const;

  it('is left alone by all processes for that long, also after a restart', async () => {
    const waiting = other.enter('blocks');
    (await entered(waiting)).release(ANSWERED);
    (await entered(one.enter('blocks'))).release(minute);
    expect(await one.enter('blocks')).toEqual({ kind: 'rejected', reason: 'block', retryAfterSeconds: 60 });
    await learns(other, 'blocks', ({ blockedUntil }) => blockedUntil !== null);
    expect(await other.enter('blocks')).toMatchObject({ reason: 'block' });
    const restarted = await gates.process();
    expect(await restarted.enter('blocks')).toMatchObject({ reason: 'block' });
    clock.advance(MINUTE);
    await entered(restarted.enter('blocks'));
    await entered(one.enter('blocks'));
  });

  it('is left alone for the longest time that it named', async () => {
    const [short, long] = [await entered(one.enter('long')), await entered(other.enter('long'))];
    long.release({ ...minute, retryAfterSeconds: 600 });
    await learns(one, 'long', ({ blockedUntil }) => blockedUntil !== null);
    short.release(minute);
    await eventually(
      async () => (await gates.process()).standings.get('long').blockedUntil?.getTime(),
      (until) => until === clock.now().getTime() + 10 * MINUTE,
    );
  });
});

describe('the breaker of an operator', () => {
  it('opens after ten failures in a row, for all processes, and answers at once', async () => {
    await fail(one, 'breaks', 9);
    (await entered(one.enter('breaks'))).release(ANSWERED);
    await fail(one, 'breaks', 10);
    const open = { kind: 'rejected', reason: 'breaker', retryAfterSeconds: 30 };
    expect(await one.enter('breaks')).toEqual(open);
    await learns(other, 'breaks', ({ openBreaker }) => openBreaker !== null);
    expect(await other.enter('breaks')).toEqual(open);
  });

  it('lets one question of one process through then; its failure opens it for longer, its answer mends it', async () => {
    await fail(one, 'mends', 10);
    await learns(other, 'mends', ({ openBreaker }) => openBreaker !== null);
    clock.advance(30 * SECOND);
    const probe = await entered(other.enter('mends'));
    expect(await one.enter('mends')).toMatchObject({ reason: 'breaker' });
    probe.release(failed());
    expect(await other.enter('mends')).toMatchObject({ reason: 'breaker', retryAfterSeconds: 60 });
    await learns(one, 'mends', ({ openBreaker }) => openBreaker?.openings === 2);
    clock.advance(MINUTE);
    (await entered(one.enter('mends'))).release(ANSWERED);
    (await entered(one.enter('mends'))).release(ANSWERED);
    await learns(other, 'mends', ({ openBreaker }) => openBreaker === null);
    await entered(other.enter('mends'));
  });

  it('begins to count anew when it was mended by another process', async () => {
    await fail(one, 'anew', 10);
    await learns(other, 'anew', ({ openBreaker }) => openBreaker !== null);
    clock.advance(30 * SECOND);
    (await entered(other.enter('anew'))).release(ANSWERED);
    await learns(one, 'anew', ({ openBreaker }) => openBreaker === null);
    await fail(one, 'anew', 9);
    await entered(one.enter('anew'));
  });

  it('counts a throttling without a time as a failure, and blocks nothing', async () => {
    await fail(one, 'throttles', 9);
    const last = await entered(one.enter('throttles'));
    last.release({ kind: 'throttled', domain: 'last.example', retryAfterSeconds: null });
    expect(await one.enter('throttles')).toMatchObject({ reason: 'breaker' });
    expect(one.standings.get('throttles').blockedUntil).toBeNull();
  });

  it('stays closed when one name fails, however often', async () => {
    for (let time = 0; time < 20; time++) (await entered(one.enter('ill'))).release(failed());
    await entered(one.enter('ill'));
  });

  it('is mended by the answer to which the one question led, not by the redirect', async () => {
    await fail(one, 'fronts', 10);
    clock.advance(30 * SECOND);
    (await entered(one.enter('fronts'))).release({ kind: 'ignored' });
    expect(await one.enter('fronts')).toMatchObject({ reason: 'breaker' });
    const onward = await entered(one.enter('fronts', { priority: 'check', isRedirect: true }));
    onward.release(ANSWERED);
    await entered(one.enter('fronts'));
  });
});
