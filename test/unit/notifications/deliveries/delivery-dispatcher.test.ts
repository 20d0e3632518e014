import { beforeEach, describe, expect, it } from '@jest/globals';
import { DeliveryDispatcher } from '../../../../src/notifications/deliveries/delivery-dispatcher.js';
import type { Batch, LeaseChannels } from '../../../../src/notifications/deliveries/lease-channels.js';
import type { ServeChannel } from '../../../../src/notifications/deliveries/serve-channel.js';
import { eventually } from '../../../support/eventually.js';

let due: string[];
/** How many channels a claim gets at most, because of the limit per host. */
let perClaim: number;
let claims: number[];
let served: Map<string, PromiseWithResolvers<void>>;
let dispatcher: DeliveryDispatcher;
const batchOf = (id: string) => ({ channel: { id } }) as Batch;
beforeEach(() => {
  due = [];
  perClaim = 2;
  claims = [];
  served = new Map();
  const claim = async (limit: number) => {
    claims.push(limit);
    const batches = due.splice(0, perClaim).map(batchOf);
    return { leased: batches.length, batches };
  };
  const run = ({ channel }: Batch) => {
    const ended = Promise.withResolvers<void>();
    served.set(channel.id, ended);
    return ended.promise;
  };
  const isAnyReady = async () => due.length > 0;
  dispatcher = new DeliveryDispatcher(
    { claim, isAnyReady } as unknown as LeaseChannels,
    { run } as unknown as ServeChannel,
  );
});

const running = (many: number) =>
  eventually(
    async () => served.size,
    (size) => size === many,
  );
const claimed = (many: number) =>
  eventually(
    async () => claims.length,
    (length) => length === many,
  );

describe('a worker that sends deliveries', () => {
  it('leases no channel while nothing is due', async () => {
    expect(await dispatcher.run()).toBe(false);
    expect(claims).toEqual([]);
  });

  it('leases on while a claim takes as many as it may', async () => {
    perClaim = 100;
    due = Array.from({ length: 102 }, (_, n) => `channel ${n}`);
    expect(await dispatcher.run()).toBe(true);
    await running(102);
    await claimed(2);
    expect(claims).toEqual([100, 100]);
  });

  it('leases again when a channel is served, and waits for no others', async () => {
    due = ['a', 'b', 'c'];
    await dispatcher.run();
    await running(2);
    served.get('a')?.resolve();
    await running(3);
    expect(claims).toHaveLength(2);
  });

  it('goes on after a claim that failed, and after a channel that failed unexpectedly', async () => {
    const fails = async () => Promise.reject(new Error('no database'));
    let n = 0;
    const claim = async () => ((n += 1) === 1 ? fails() : { leased: 1, batches: n < 5 ? [batchOf('a')] : [] });
    const failing = new DeliveryDispatcher(
      { claim, isAnyReady: async () => true } as unknown as LeaseChannels,
      { run: fails } as unknown as ServeChannel,
    );
    await failing.run();
    await eventually(
      async () => n,
      (made) => made === 1,
    );
    await failing.run();
    await eventually(
      async () => n,
      (made) => made >= 5,
    );
    await failing.beforeApplicationShutdown();
  });

  it('waits for the channels that it serves when it is stopped, and leases no more', async () => {
    due = ['a', 'b', 'c'];
    await dispatcher.run();
    await running(2);
    let isDrained = false;
    const drained = dispatcher.beforeApplicationShutdown().then(() => (isDrained = true));
    served.get('a')?.resolve();
    await dispatcher.run();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([isDrained, claims.length]).toEqual([false, 1]);
    served.get('b')?.resolve();
    await drained;
    expect(claims).toHaveLength(1);
  });
});
