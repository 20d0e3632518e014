import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AdmissionRequest, LookupPriority } from '../../../../src/domains/domain/operators.js';
import type { OperatorRow } from '../../../../src/domains/rate-limiting/operators.repository.js';
import type { Permit, Rejection } from '../../../../src/domains/rate-limiting/registry-admission.js';
import { MINUTE, SECOND } from '../../../../src/kernel/clock.js';
import { DatabaseUnavailable } from '../../../../src/kernel/unit-of-work.js';
import { eventually } from '../../../support/eventually.js';
import { type TestGate, TestGates } from './test-rate-limiters.js';

const ANSWERED = { kind: 'answered' } as const;
const failed = (domain = 'a.example') => ({ kind: 'failed', domain }) as const;
const throttled = (retryAfterSeconds: number | null) =>
  ({ kind: 'throttled', domain: 'last.example', retryAfterSeconds }) as const;

let gates: TestGates;
let one: TestGate;
let other: TestGate;
const permits: Permit[] = [];

beforeAll(async () => {
  Logger.overrideLogger(false);
  gates = await TestGates.open({
    slow: { per_second: 0.05, burst: 3, concurrency: 10 },
    minutely: { per_second: 1 / 60, burst: 1, concurrency: 1 },
    steady: { per_second: 20, burst: 1, concurrency: 10 },
    shared: { per_second: 0.05, burst: 5, concurrency: 10 },
    narrow: { per_second: 0, burst: 1, concurrency: 2 },
    priorities: { per_second: 10, burst: 1, concurrency: 10 },
    urgent: { per_second: 5, burst: 1, concurrency: 2 },
    unlimited: { per_second: 0, burst: 1, concurrency: 5 },
    lost: { per_second: 20, burst: 1, concurrency: 1 },
    moved: { per_second: 2, burst: 4, concurrency: 4 },
    ...Object.fromEntries(
      ['blocks', 'long', 'kept', 'breaks', 'mends', 'restarts', 'fronts', 'longer', 'unsure', 'quiet'].map((name) => [
        name,
        { per_second: 10_000, burst: 1_000, concurrency: 100 },
      ]),
    ),
  });
});
beforeEach(() => {
  [one, other] = [gates.process(), gates.process()];
});
afterEach(() => permits.splice(0).forEach((permit) => permit.release(ANSWERED)));
afterAll(() => gates.close());

async function entered(admission: Promise<Permit | Rejection>): Promise<Permit> {
  const permit = await admission;
  if (permit.kind === 'rejected') throw new Error(`withheld: ${permit.reason}`);
  permits.push(permit);
  return permit;
}

async function ask(process: TestGate, operator: string, asking?: AdmissionRequest): Promise<Permit | Rejection> {
  const permit = await process.enter(operator, asking);
  if (permit.kind === 'permit') permit.release(ANSWERED);
  return permit;
}

async function fail(process: TestGate, operator: string, times: number): Promise<void> {
  for (let time = 0; time < times; time++) (await entered(process.enter(operator))).release(failed(`${time}.example`));
}

const rowOf = async (operator: string) => (await one.operators.find([operator])).get(operator);
const stored = (operator: string, what: (row: OperatorRow) => boolean) =>
  eventually(
    () => rowOf(operator),
    (row) => row !== undefined && what(row),
  );
const isOpen = ({ openBreaker }: OperatorRow) => openBreaker !== null;

describe('the rate limit of a registry operator', () => {
  it('is shared by all processes, and a rejected query is told when to retry', async () => {
    for (let question = 0; question < 2; question++) await entered(one.enter('slow'));
    await entered(other.enter('slow'));
    const late = await other.enter('slow');
    expect(late).toMatchObject({ kind: 'rejected', reason: 'budget' });
    expect((late as Rejection).retryAfterSeconds).toBeGreaterThan(15);
    expect((late as Rejection).retryAfterSeconds).toBeLessThanOrEqual(20);
  });

  it('can be as low as one query a minute for all processes', async () => {
    await entered(one.enter('minutely'));
    expect(await other.enter('minutely', { priority: 'drop_window' })).toMatchObject({ reason: 'budget' });
    await gates.passTime('minutely', 61);
    await entered(gates.process().enter('minutely'));
    expect(await gates.process().enter('minutely')).toMatchObject({ reason: 'budget' });
  });

  it('queues queries that can be sent before their deadline, and rejects all others at once', async () => {
    const began = performance.now();
    const outcomes = await Promise.all(
      Array.from({ length: 80 }, async () => {
        const { kind } = await ask(one, 'steady');
        return { kind, ms: performance.now() - began };
      }),
    );
    const sent = outcomes.filter(({ kind }) => kind === 'permit');
    const refused = outcomes.filter(({ kind }) => kind === 'rejected');
    expect(sent.length).toBeGreaterThanOrEqual(15); // of 61, on a machine that is busy with other work
    expect(sent.length).toBeLessThanOrEqual(61);
    expect(Math.max(...outcomes.map(({ ms }) => ms))).toBeLessThan(3_300);
    expect(refused.filter(({ ms }) => ms < 500).length).toBeGreaterThanOrEqual(19);
  });

  it('sends waiting queries by priority: dropping names, then checks, then routine lookups', async () => {
    await entered(one.enter('priorities'));
    const order: LookupPriority[] = [];
    const enter = async (priority: LookupPriority) => {
      (await entered(one.enter('priorities', { priority, maxWaitMs: 10 * SECOND }))).release(ANSWERED);
      order.push(priority);
    };
    await Promise.all((['routine', 'check', 'drop_window', 'check', 'routine', 'drop_window'] as const).map(enter));
    expect(order).toEqual(['drop_window', 'drop_window', 'check', 'check', 'routine', 'routine']);
  });

  it('sends a repeated query ahead of earlier queries of the same priority', async () => {
    await entered(one.enter('priorities'));
    const order: string[] = [];
    const enter = async (name: string, isRepeat: boolean) => {
      (await entered(one.enter('priorities', { priority: 'check', isRepeat }))).release(ANSWERED);
      order.push(name);
    };
    await Promise.all([
      ...['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth', 'last'].map(
        (name) => enter(name, false),
      ),
      enter('again', true),
    ]);
    expect(order.indexOf('again')).toBeLessThan(order.indexOf('last'));
  });

  it('sends a query for a dropping name within a second, under load from other queries', async () => {
    let isOver = false;
    const busy = Array.from({ length: 5 }, () => gates.process()).map(async (process) => {
      const ever = async (priority: LookupPriority) => {
        while (!isOver) {
          const answer = await ask(process, 'urgent', { priority });
          if (answer.kind === 'rejected') await sleep(20);
        }
      };
      await Promise.all([ever('check'), ever('check'), ever('check'), ever('routine'), ever('routine')]);
    });
    const waits: number[] = [];
    for (let drop = 0; drop < 6; drop++) {
      await sleep(300);
      const began = performance.now();
      await ask(one, 'urgent', { priority: 'drop_window' });
      waits.push(performance.now() - began);
    }
    isOver = true;
    await Promise.all(busy);
    expect(Math.max(...waits)).toBeLessThan(SECOND);
  });

  it('reserves a fifth of the burst for queries that are not routine', async () => {
    for (let name = 0; name < 4; name++)
      expect(await ask(one, 'shared', { priority: 'routine' })).toMatchObject({ kind: 'permit' });
    expect(await ask(one, 'shared', { priority: 'routine' })).toMatchObject({ reason: 'budget' });
    expect(await ask(other, 'shared')).toMatchObject({ kind: 'permit' });
    expect(await ask(other, 'shared')).toMatchObject({ reason: 'budget' });
  });

  it('limits the concurrent queries of each process, and rejects a waiting query at its deadline', async () => {
    const first = await entered(one.enter('narrow'));
    await entered(one.enter('narrow'));
    const began = performance.now();
    expect(await one.enter('narrow', { priority: 'check', maxWaitMs: 300 })).toMatchObject({ reason: 'budget' });
    expect(performance.now() - began).toBeGreaterThanOrEqual(295);
    const third = one.enter('narrow', { priority: 'check', maxWaitMs: 10 * SECOND });
    first.release(ANSWERED);
    await entered(third);
    await entered(other.enter('narrow'));
  });

  it('costs one SQL statement per query, and none per query for an operator without a limit', async () => {
    await ask(one, 'quiet');
    const before = one.statements.names.length;
    for (let question = 0; question < 20; question++) await ask(one, 'quiet');
    expect(one.statements.names.slice(before)).toEqual(Array.from({ length: 20 }, () => 'registry_operator_ask'));
    await ask(one, 'unlimited');
    const known = one.statements.names.length;
    for (let question = 0; question < 100; question++) await ask(one, 'unlimited');
    expect(one.statements.names.slice(known)).toEqual([]);
  });

  it('admits no query while the database is unavailable, and fails with a database error', async () => {
    const alone = gates.process('postgres://nouser@127.0.0.1:1/none');
    for (const operator of ['steady', 'unlimited'])
      await expect(alone.enter(operator)).rejects.toThrow(DatabaseUnavailable);
    one.statements.isAway = true;
    await expect(one.enter('lost')).rejects.toThrow('away');
    one.statements.isAway = false;
    await entered(one.enter('lost')); // its place was given back
  });

  it.each([-3_600, 3_600])(
    'still admits and limits queries after the database’s clock moves by %d seconds',
    async (seconds) => {
      await gates.passTime('moved', 3_600);
      for (let name = 0; name < 4; name++) await ask(one, 'moved');
      await gates.passTime('moved', seconds);
      const answers = await Promise.all(Array.from({ length: 9 }, () => ask(other, 'moved', { priority: 'check' })));
      const sent = answers.filter(({ kind }) => kind === 'permit').length;
      expect(sent).toBeGreaterThanOrEqual(2); // within three seconds
      expect(sent).toBeLessThanOrEqual(seconds > 0 ? 9 : 6); // put forward, it grants one more burst
    },
  );
});

describe('a registry operator that throttles us', () => {
  it('gets no queries from any process until its Retry-After ends, even after a restart', async () => {
    await ask(other, 'blocks');
    (await entered(one.enter('blocks'))).release(throttled(60));
    expect(await one.enter('blocks')).toEqual({ kind: 'rejected', reason: 'block', retryAfterSeconds: 60 });
    await stored('blocks', ({ blockedUntil }) => blockedUntil !== null);
    expect(await other.enter('blocks')).toMatchObject({ reason: 'block' });
    expect(await gates.process().enter('blocks')).toMatchObject({ reason: 'block' });
    await gates.passTime('blocks', 60);
    await entered(gates.process().enter('blocks'));
  });

  it('stays blocked for the longest Retry-After that it sent', async () => {
    const [short, long] = [await entered(one.enter('long')), await entered(other.enter('long'))];
    long.release(throttled(600));
    await stored('long', ({ blockedUntil }) => blockedUntil !== null);
    short.release(throttled(60));
    await eventually(
      () => Promise.resolve(one.statements.names),
      (names) => names.includes('registry_operator_block'),
    );
    const { blockedUntil, now } = await stored('long', () => true).then((row) => row ?? fails());
    expect((blockedUntil?.getTime() ?? 0) - now.getTime()).toBeGreaterThan(9 * MINUTE);
  });

  it('gets no queries from the throttled process during a database outage, nor from others afterwards', async () => {
    const permit = await entered(one.enter('kept'));
    one.statements.isAway = true;
    permit.release(throttled(60));
    expect(await one.enter('kept')).toMatchObject({ reason: 'block' });
    one.statements.isAway = false;
    await eventually(
      () => ask(other, 'kept'),
      (answer) => answer.kind === 'rejected' && answer.reason === 'block',
    );
  });
});

describe('the circuit breaker of a registry operator', () => {
  it('opens for all processes after ten failures in a row, and rejects queries', async () => {
    await fail(one, 'breaks', 9);
    await ask(one, 'breaks');
    await fail(one, 'breaks', 10);
    await stored('breaks', isOpen);
    for (const process of [one, other]) {
      const rejection = await process.enter('breaks');
      expect(rejection).toMatchObject({ kind: 'rejected', reason: 'breaker' });
      expect((rejection as Rejection).retryAfterSeconds).toBeGreaterThan(20);
      expect((rejection as Rejection).retryAfterSeconds).toBeLessThanOrEqual(30);
    }
  });

  it('needs no extra SQL statements while all queries are answered', async () => {
    for (let question = 0; question < 20; question++) await ask(one, 'quiet');
    expect(new Set(one.statements.names)).toEqual(new Set(['registry_operator_ask']));
  });

  it('admits one test query after its pause: a failure reopens it, an answer closes it', async () => {
    await fail(one, 'mends', 10);
    await stored('mends', isOpen);
    await gates.passTime('mends', 30);
    const probe = await entered(other.enter('mends'));
    expect(await one.enter('mends')).toMatchObject({ reason: 'breaker' });
    probe.release(failed());
    await stored('mends', ({ openBreaker }) => openBreaker?.openings === 2);
    expect(await other.enter('mends')).toMatchObject({ reason: 'breaker' });
    await gates.passTime('mends', 60);
    await ask(one, 'mends');
    await stored('mends', (row) => !isOpen(row));
    await entered(one.enter('mends'));
    await entered(other.enter('mends'));
  });

  it('doubles its pause on each reopening, up to five minutes, and keeps its first opening time', async () => {
    await fail(one, 'longer', 10);
    const first = await stored('longer', isOpen);
    const pauses: number[] = [];
    for (let openings = 1; openings <= 6; openings++) {
      const row = await stored('longer', ({ openBreaker }) => openBreaker?.openings === openings);
      pauses.push(Math.round(((row?.openBreaker?.retryAt.getTime() ?? 0) - (row?.now.getTime() ?? 0)) / SECOND));
      await gates.passTime('longer', 301);
      (await entered(one.enter('longer'))).release(failed());
    }
    expect(pauses).toEqual([30, 60, 120, 240, 300, 300]);
    expect((await rowOf('longer'))?.openBreaker?.since).toEqual(first?.openBreaker?.since);
  });

  it('does not stay open longer when queries sent before its opening fail late', async () => {
    const late = await Promise.all(Array.from({ length: 12 }, () => entered(one.enter('unsure'))));
    await fail(one, 'unsure', 10);
    await stored('unsure', isOpen);
    late.forEach((permit, index) => permit.release(failed(`late-${index}.example`)));
    await sleep(100);
    expect((await rowOf('unsure'))?.openBreaker?.openings).toBe(1);
  });

  it('counts failures from zero after another process closed it', async () => {
    await fail(one, 'restarts', 10);
    await stored('restarts', isOpen);
    await gates.passTime('restarts', 30);
    await ask(other, 'restarts');
    await stored('restarts', (row) => !isOpen(row));
    await fail(one, 'restarts', 9);
    await entered(one.enter('restarts'));
  });

  it('is closed by the answer of a redirect’s target, not by the redirect itself', async () => {
    await fail(one, 'fronts', 10);
    await stored('fronts', isOpen);
    await gates.passTime('fronts', 30);
    (await entered(one.enter('fronts'))).release({ kind: 'ignored' });
    expect(await one.enter('fronts')).toMatchObject({ reason: 'breaker' });
    (await entered(one.enter('fronts', { priority: 'check', isRedirect: true }))).release(ANSWERED);
    await stored('fronts', (row) => !isOpen(row));
    await entered(one.enter('fronts'));
  });
});

function fails(): never {
  throw new Error('there is no such row');
}
