import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Deliver } from '../../../../src/notifications/deliveries/deliver.js';
import { DeliveryDispatcher } from '../../../../src/notifications/deliveries/delivery-dispatcher.js';
import type { ClaimedDelivery } from '../../../../src/notifications/deliveries/attempt-context.js';
import type { StartAttempts } from '../../../../src/notifications/deliveries/start-attempts.js';
import { eventually } from '../../../support/eventually.js';

const HOST = 'hooks.example';
const FOR_HOST = [1_000, [HOST]];

let due: string[];
let claims: unknown[][];
let attempts: Map<string, PromiseWithResolvers<string | null>>;
let dispatcher: DeliveryDispatcher;
beforeEach(() => {
  due = [];
  claims = [];
  attempts = new Map();
  const claim = async (...values: unknown[]): Promise<ClaimedDelivery[]> => {
    claims.push(values);
    return due.splice(0, 2).map((id) => ({ id, token: id, started: null }));
  };
  const run = ({ id }: ClaimedDelivery) => {
    const attempt = Promise.withResolvers<string | null>();
    attempts.set(id, attempt);
    return attempt.promise;
  };
  dispatcher = new DeliveryDispatcher({ claim } as unknown as StartAttempts, { run } as unknown as Deliver);
});

const running = (many: number) =>
  eventually(
    async () => attempts.size,
    (size) => size === many,
  );
const claimed = (many: number) =>
  eventually(
    async () => claims.length,
    (length) => length === many,
  );

describe('a worker that sends deliveries', () => {
  it('claims as many as the jobs that woke it up say, at once', async () => {
    dispatcher.wakeUp(100);
    dispatcher.wakeUp(100);
    await claimed(1);
    expect(claims).toEqual([[200]]);
  });

  it('claims on while a claim takes as many as it may', async () => {
    due = ['a', 'b', 'c'];
    dispatcher.wakeUp(2);
    await running(3);
    await claimed(2);
    expect(claims).toEqual([[2], [2]]);
  });

  it('claims for a host when its attempts end, and waits for no others there', async () => {
    due = ['a', 'b', 'c'];
    dispatcher.wakeUp(100);
    await running(2);
    attempts.get('a')?.resolve(HOST);
    await running(3);
    expect(claims).toEqual([[100], FOR_HOST]);
  });

  it('does not claim for a delivery that was not sent', async () => {
    due = ['a', 'b'];
    dispatcher.wakeUp(100);
    await running(2);
    attempts.get('a')?.resolve(null);
    attempts.get('b')?.resolve(HOST);
    await claimed(2);
    expect(claims[1]).toEqual(FOR_HOST);
  });

  it('goes on after a claim that failed, and after an attempt that failed unexpectedly', async () => {
    const fails = async () => Promise.reject(new Error('no database'));
    const deliver = { run: fails } as unknown as Deliver;
    let n = 0;
    const claim = async () => ((n += 1) === 1 ? fails() : [{ id: 'a', token: 'a', started: null }]);
    const failing = new DeliveryDispatcher({ claim } as unknown as StartAttempts, deliver);
    for (const many of [1, 2, 3]) {
      failing.wakeUp(2);
      await eventually(
        async () => n,
        (claimsMade) => claimsMade === many,
      );
    }
    await failing.drain();
  });

  it('waits for running attempts when it is stopped, and claims no more', async () => {
    due = ['a', 'b', 'c'];
    dispatcher.wakeUp(100);
    await running(2);
    let isDrained = false;
    const drained = dispatcher.drain().then(() => (isDrained = true));
    attempts.get('a')?.resolve(HOST);
    dispatcher.wakeUp(100);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([isDrained, claims.length]).toEqual([false, 1]);
    attempts.get('b')?.resolve(HOST);
    await drained;
    expect(claims).toHaveLength(1);
  });
});
