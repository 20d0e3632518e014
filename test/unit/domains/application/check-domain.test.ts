import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { CheckDomain } from '../../../../src/domains/application/checks/check-domain.js';
import type { RefreshDomain } from '../../../../src/domains/application/checks/refresh-domain.js';
import { LookupCompletedListeners } from '../../../../src/domains/application/checks/lookup-completed-listeners.js';
import { DomainName } from '../../../../src/domains/domain/name/domain-name.js';
import type { LookupResult } from '../../../../src/domains/domain/lookup/lookup-result.js';
import { absent, found, reserved } from '../../../../src/domains/domain/lifecycle/registration-facts.js';
import { after, DAY, SECOND } from '../../../../src/kernel/clock.js';
import { TestClock } from '../../../support/fakes/test-clock.js';
import { buildChecks, ScriptedRegistryLookup } from './scripted-ports.js';

const name = DomainName.restore('example.com');

let clock: TestClock;
let registry: ScriptedRegistryLookup;
let listeners: LookupCompletedListeners;
let checks: CheckDomain;
let refresh: RefreshDomain;

function build(settings: Record<string, string> = {}): void {
  ({ checks, refresh } = buildChecks({ registry, clock, listeners, settings }));
}

beforeAll(() => void Logger.overrideLogger(false));

beforeEach(() => {
  clock = new TestClock();
  registry = new ScriptedRegistryLookup(clock);
  listeners = new LookupCompletedListeners();
  build();
});

describe('a check', () => {
  it('tells status, phase, proof and age', async () => {
    registry.facts = found({ expiresAt: after(clock.now(), 10 * DAY) });
    expect(await checks.check(name)).toMatchObject({
      ...{ kind: 'result', name, status: 'expiring', lifecycle: { phase: 'expiring' }, ageSeconds: 0 },
      observation: { facts: registry.facts, observedAt: clock.now() },
    });
  });

  it('knows reserved names, which a watch shows as registered', async () => {
    registry.facts = reserved;
    expect(await checks.check(name)).toMatchObject({ status: 'reserved', lifecycle: { status: 'registered' } });
  });

  it('gives a registry ten seconds', async () => {
    await checks.check(name);
    expect(registry.calls).toEqual([{ name: 'example.com', timeoutMs: 10_000 }]);
  });

  it.each([
    ['registered', found(), 900],
    ['available', absent, 60],
    ['pending delete', found({ statuses: ['pending delete'] }), 60],
    ['redemption', found({ statuses: ['redemption period'] }), 60],
    ['reserved', reserved, 3_600],
  ])('of a name that is %s is answered from memory while fresh, and then asked anew', async (_what, facts, seconds) => {
    registry.facts = facts;
    await checks.check(name);
    clock.advance(seconds * SECOND);
    expect(await checks.check(name)).toMatchObject({ ageSeconds: seconds });
    expect(registry.calls).toHaveLength(1);
    clock.advance(1);
    expect(await checks.check(name)).toMatchObject({ ageSeconds: 0 });
    expect(registry.calls).toHaveLength(2);
  });

  it('is judged by its phase now, not by the one at its look', async () => {
    registry.facts = found({ expiresAt: after(clock.now(), 30 * DAY + 100 * SECOND) });
    expect(await checks.check(name)).toMatchObject({ status: 'registered' });
    clock.advance(100 * SECOND);
    expect(await checks.check(name)).toMatchObject({ status: 'expiring', ageSeconds: 100 });
  });

  it('takes no answer older than the caller wants, and with 0 none at all', async () => {
    await checks.check(name);
    await checks.check(name, { maxAgeSeconds: 0 });
    expect(registry.calls).toHaveLength(2);
    clock.advance(10 * SECOND);
    await checks.check(name, { maxAgeSeconds: 10 });
    expect(registry.calls).toHaveLength(2);
    await checks.check(name, { maxAgeSeconds: 9 });
    expect(registry.calls).toHaveLength(3);
  });

  it('is no fresher for a caller with patience', async () => {
    registry.facts = absent;
    await checks.check(name);
    clock.advance(61 * SECOND);
    await checks.check(name, { maxAgeSeconds: 86_400 });
    expect(registry.calls).toHaveLength(2);
  });

  it('ages faster in fast motion', async () => {
    build({ TIME_SCALE: '100' });
    await checks.check(name);
    clock.advance(9 * SECOND);
    await checks.check(name);
    expect(registry.calls).toHaveLength(1);
    clock.advance(1);
    await checks.check(name);
    expect(registry.calls).toHaveLength(2);
  });

  it('that fails is an error with no status, and is not remembered', async () => {
    registry.facts = null;
    expect(await checks.check(name)).toMatchObject({ kind: 'failure', code: 'registry_timeout' });
    registry.facts = absent;
    expect(await checks.check(name)).toMatchObject({ status: 'available' });
  });

  it('that fails does not spoil a fresh answer that was kept', async () => {
    await checks.check(name);
    registry.facts = null;
    expect(await checks.check(name, { maxAgeSeconds: 0 })).toMatchObject({ kind: 'failure' });
    expect(await checks.check(name)).toMatchObject({ status: 'registered' });
  });

  it('of a sandbox name is never answered from memory', async () => {
    registry.source = 'sandbox';
    await checks.check(name);
    await checks.check(name);
    expect(registry.calls).toHaveLength(2);
  });

  it('asks the registry once for everybody who asks at the same time', async () => {
    const tell = Promise.withResolvers<void>();
    registry.answerGate = tell.promise;
    const asked = Array.from({ length: 100 }, () => checks.check(name, { maxAgeSeconds: 0 }));
    const other = checks.check(DomainName.restore('example.org'));
    tell.resolve();
    const answers = await Promise.all(asked);
    expect(new Set(answers.map((answer) => answer.kind))).toEqual(new Set(['result']));
    await other;
    expect(registry.calls.map((question) => question.name)).toEqual(['example.com', 'example.org']);
    await checks.check(name, { maxAgeSeconds: 0 });
    expect(registry.calls).toHaveLength(3);
  });

  it.each([0, 1])('is no older than %d s when it joins a question that is being asked', async (maxAgeSeconds) => {
    const tell = Promise.withResolvers<void>();
    registry.answerGate = tell.promise;
    const first = checks.check(name);
    await new Promise(setImmediate); // the registry is being asked
    clock.advance(3 * SECOND);
    registry.facts = absent;
    const late = Array.from({ length: 100 }, () => checks.check(name, { maxAgeSeconds }));
    const patient = checks.check(name);
    tell.resolve();
    expect(await first).toMatchObject({ status: 'registered' });
    expect(await patient).toMatchObject({ status: 'registered', ageSeconds: 3 });
    for (const answer of await Promise.all(late)) expect(answer).toMatchObject({ status: 'available', ageSeconds: 0 });
    expect(registry.calls).toHaveLength(2);
  });

  it('that was asked for in vain is told to all who waited, and nobody asks once more', async () => {
    const tell = Promise.withResolvers<void>();
    Object.assign(registry, { answerGate: tell.promise, facts: null });
    const first = checks.check(name);
    await new Promise(setImmediate); // the registry is being asked
    clock.advance(3 * SECOND);
    const late = checks.check(name, { maxAgeSeconds: 0 });
    tell.resolve();
    expect((await Promise.all([first, late])).map(({ kind }) => kind)).toEqual(['failure', 'failure']);
    expect(registry.calls).toHaveLength(1);
  });

  it('asks again after a look that threw', async () => {
    registry.answerGate = Promise.reject(new Error('a bug'));
    await expect(checks.check(name)).rejects.toThrow('a bug');
    registry.answerGate = Promise.resolve();
    expect(await checks.check(name)).toMatchObject({ status: 'registered' });
  });
});

describe('the listeners of a check', () => {
  it('have written it down before the person is answered, and hear of failures too', async () => {
    const heard: string[] = [];
    listeners.subscribe(async ({ ascii }, look) => {
      await new Promise(setImmediate);
      heard.push(`${ascii} ${look.kind}`);
    });
    await checks.check(name);
    expect(heard).toEqual(['example.com observation']);
    registry.facts = null;
    await checks.check(name, { maxAgeSeconds: 0 });
    expect(heard).toEqual(['example.com observation', 'example.com failure']);
  });

  it('hear nothing of an answer from memory, nor of a look that a watch made itself', async () => {
    const heard: LookupResult[] = [];
    listeners.subscribe(async (_name, look) => void heard.push(look));
    await refresh.run(name);
    await checks.check(name);
    expect(heard).toEqual([]);
  });

  it('cannot spoil the answer, nor each other', async () => {
    const heard: LookupResult[] = [];
    listeners.subscribe(() => Promise.reject(new Error('database away')));
    listeners.subscribe(() => {
      throw new Error('a bug');
    });
    listeners.subscribe(async (_name, look) => void heard.push(look));
    expect(await checks.check(name)).toMatchObject({ status: 'registered' });
    expect(heard).toHaveLength(1);
  });
});

describe('a look for a watch', () => {
  it('is always live, within the deadline it is given, and refreshes what checks are answered from', async () => {
    await refresh.run(name);
    registry.facts = absent;
    await refresh.run(name, 1_000);
    expect(registry.calls.map((question) => question.timeoutMs)).toEqual([10_000, 1_000]);
    expect(await checks.check(name)).toMatchObject({ status: 'available', ageSeconds: 0 });
    expect(registry.calls).toHaveLength(2);
  });

  it('that was overtaken by a later one does not bring the old answer back', async () => {
    const tell = Promise.withResolvers<void>();
    registry.answerGate = tell.promise;
    const slow = refresh.run(name);
    registry.answerGate = Promise.resolve();
    registry.facts = absent;
    clock.advance(SECOND);
    await refresh.run(name);
    tell.resolve();
    await slow;
    expect(await checks.check(name)).toMatchObject({ status: 'available' });
  });
});
