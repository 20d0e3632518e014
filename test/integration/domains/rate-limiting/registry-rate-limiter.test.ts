import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { LookupPriority } from '../../../../src/domains/domain/lookup/admission.js';
import type { Permit, Rejection } from '../../../../src/domains/rate-limiting/registry-admission.js';
import type { OperatorHealth } from '../../../../src/domains/rate-limiting/operator-health.repository.js';
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
const permits: Permit[] = [];

beforeAll(async () => {
  Logger.overrideLogger(false);
  clock = new TestClock();
  gates = await TestGates.open(
    {
      slow: { per_second: 0.05, burst: 3, concurrency: 10 },
      steady: { per_second: 20, burst: 1, concurrency: 10 },
      narrow: { per_second: 0, burst: 1, concurrency: 2 },
      priorities: { per_second: 10, burst: 1, concurrency: 10 },
      unlimited: { per_second: 0, burst: 1, concurrency: 5 },
      ...Object.fromEntries(
        ['blocks', 'long', 'breaks', 'mends', 'restarts', 'fronts'].map((name) => [name, { per_second: 0 }]),
      ),
    },
    clock,
  );
});
beforeEach(async () => {
  [one, other] = [await gates.process(), await gates.process()];
});
afterEach(() => permits.splice(0).forEach((permit) => permit.release(ANSWERED)));
afterAll(() => gates.close());

async function entered(admission: Promise<Permit | Rejection>): Promise<Permit> {
  const permit = await admission;
  if (permit.kind === 'rejected') throw new Error(`withheld: ${permit.reason}`);
  permits.push(permit);
  return permit;
}

async function fail(process: TestGate, operator: string, times: number): Promise<void> {
  for (let time = 0; time < times; time++) (await entered(process.enter(operator))).release(failed(`${time}.example`));
}

/** Waits until the process has read from the database what another one wrote. */
function learns(
  process: TestGate,
  operator: string,
  what: (standing: OperatorHealth) => boolean,
): Promise<OperatorHealth> {
  const read = async () => (await process.health.refresh(), process.health.get(operator));
  return eventually(read, what);
}

describe('the rate limit of an operator', () => {
  it('is shared by all processes, and a rejection says at once when to retry', async () => {
    for (let question = 0; question < 2; question++) (await entered(one.enter('slow'))).release(ANSWERED);
    (await entered(other.enter('slow'))).release(ANSWERED);
    const late = await other.enter('slow');
    expect(late).toMatchObject({ kind: 'rejected', reason: 'budget' });
    expect(late).toHaveProperty('retryAfterSeconds', expect.any(Number));
    expect((late as Rejection).retryAfterSeconds).toBeGreaterThan(15);
    expect((late as Rejection).retryAfterSeconds).toBeLessThanOrEqual(20);
  });

  it('lets requests wait that will get a token in time', async () => {
    const pending = Array.from({ length: 8 }, () => one.enter('steady'));
    const began = performance.now();
    for (const each of pending) (await entered(each)).release(ANSWERED);
    expect(performance.now() - began).toBeGreaterThan(300);
  });

  it('gives the next token to the higher priority', async () => {
    await entered(one.enter('priorities'));
    const order: LookupPriority[] = [];
    const enter = async (priority: LookupPriority) => {
      (await entered(one.enter('priorities', { priority, maxWaitMs: 10 * SECOND }))).release(ANSWERED);
      order.push(priority);
    };
    await Promise.all((['routine', 'check', 'drop_window', 'check', 'routine', 'drop_window'] as const).map(enter));
    expect(order).toEqual(['drop_window', 'drop_window', 'check', 'check', 'routine', 'routine']);
  });

  it('limits concurrent requests over all processes', async () => {
    const first = await entered(one.enter('narrow'));
    await entered(other.enter('narrow'));
    const third = one.enter('narrow', { priority: 'check', maxWaitMs: 600 });
    expect(await third).toMatchObject({ kind: 'rejected', reason: 'budget' });
    const fourth = other.enter('narrow', { priority: 'check', maxWaitMs: 10 * SECOND });
    first.release(ANSWERED);
    await entered(fourth);
  });

  it('is available to others as soon as a process shuts down', async () => {
    const ending = await gates.process();
    const [first, second] = [await entered(ending.enter('narrow')), await entered(ending.enter('narrow'))];
    first.release(ANSWERED);
    ending.gate.onModuleDestroy();
    second.release(ANSWERED);
    await entered(other.enter('narrow', { priority: 'check', maxWaitMs: 600 }));
    await entered(one.enter('narrow', { priority: 'check', maxWaitMs: 600 }));
  });

  it('needs no statement while a slot is held and no rate is set', async () => {
    (await entered(one.enter('unlimited'))).release(ANSWERED);
    const before = one.statements.count;
    for (let question = 0; question < 100; question++) (await entered(one.enter('unlimited'))).release(ANSWERED);
    expect(one.statements.count).toBe(before);
  });

  it('allows one request at a time in a process without the database', async () => {
    const alone = await gates.process('postgres://nouser@127.0.0.1:1/none');
    const first = await entered(alone.enter('narrow'));
    expect(await alone.enter('narrow', { priority: 'check', maxWaitMs: 600 })).toMatchObject({ reason: 'budget' });
    first.release(ANSWERED);
    await entered(alone.enter('narrow'));
  });
});

describe('a blocked operator', () => {
  const minute = { kind: 'throttled', domain: 'a.example', retryAfterSeconds: 60 } as const;

  it('gets no requests from any process until then, even after a restart', async () => {
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

  it('is blocked for the longest Retry-After that it sent', async () => {
    const [short, long] = [await entered(one.enter('long')), await entered(other.enter('long'))];
    long.release({ ...minute, retryAfterSeconds: 600 });
    await learns(one, 'long', ({ blockedUntil }) => blockedUntil !== null);
    short.release(minute);
    await eventually(
      async () => (await gates.process()).health.get('long').blockedUntil?.getTime(),
      (until) => until === clock.now().getTime() + 10 * MINUTE,
    );
  });
});

describe('the circuit breaker of an operator', () => {
  it('opens after ten failures in a row for all processes, and rejects at once', async () => {
    await fail(one, 'breaks', 9);
    (await entered(one.enter('breaks'))).release(ANSWERED);
    await fail(one, 'breaks', 10);
    const open = { kind: 'rejected', reason: 'breaker', retryAfterSeconds: 30 };
    expect(await one.enter('breaks')).toEqual(open);
    await learns(other, 'breaks', ({ openBreaker }) => openBreaker !== null);
    expect(await other.enter('breaks')).toEqual(open);
  });

  it('admits one probe when half open: a failure opens it for longer, an answer closes it', async () => {
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

  it('starts counting at zero after another process closed it', async () => {
    await fail(one, 'restarts', 10);
    await learns(other, 'restarts', ({ openBreaker }) => openBreaker !== null);
    clock.advance(30 * SECOND);
    (await entered(other.enter('restarts'))).release(ANSWERED);
    await learns(one, 'restarts', ({ openBreaker }) => openBreaker === null);
    await fail(one, 'restarts', 9);
    await entered(one.enter('restarts'));
  });

  it('is closed by the response to the redirected probe, not by the redirect', async () => {
    await fail(one, 'fronts', 10);
    await learns(other, 'fronts', ({ openBreaker }) => openBreaker !== null);
    clock.advance(30 * SECOND);
    (await entered(one.enter('fronts'))).release({ kind: 'ignored' });
    expect(await one.enter('fronts')).toMatchObject({ reason: 'breaker' });
    const redirected = await entered(one.enter('fronts', { priority: 'check', isRedirect: true }));
    redirected.release(ANSWERED);
    await entered(one.enter('fronts'));
  });
});
