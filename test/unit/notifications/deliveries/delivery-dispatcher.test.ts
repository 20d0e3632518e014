import { beforeEach, describe, expect, it } from '@jest/globals';
import { DeliveryDispatcher } from '../../../../src/notifications/deliveries/delivery-dispatcher.js';
import type { Batch, LeaseChannels } from '../../../../src/notifications/deliveries/lease-channels.js';
import type { ServeChannel } from '../../../../src/notifications/deliveries/serve-channel.js';
import { eventually } from '../../../support/eventually.js';

let due: string[];
let claims: number[];
let served: Map<string, PromiseWithResolvers<void>>;
let dispatcher: DeliveryDispatcher;
const batchOf = (id: string) => ({ channel: { id } }) as Batch;
beforeEach(() => {
  due = [];
  claims = [];
  served = new Map();
  const claim = async (limit: number) => {
    claims.push(limit);
    const batches = due.splice(0, 2).map(batchOf);
    return { leased: batches.length, batches };
  };
  const run = ({ channel }: Batch) => {
    const ended = Promise.withResolvers<void>();
    served.set(channel.id, ended);
    return ended.promise;
  };
  dispatcher = new DeliveryDispatcher({ claim } as unknown as LeaseChannels, { run } as unknown as ServeChannel);
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
  it('locks in one step as many channels as two wake-up jobs ask for together', async () => {
    dispatcher.wakeUp(100);
    dispatcher.wakeUp(100);
    await claimed(1);
    expect(claims).toEqual([200]);
  });

  it('locks more channels after a step that locked as many as it asked for', async () => {
    due = ['a', 'b', 'c'];
    dispatcher.wakeUp(2);
    await running(3);
    await claimed(2);
    expect(claims).toEqual([2, 2]);
  });

  it('locks the next channel when one is done, without waiting for the others', async () => {
    due = ['a', 'b', 'c'];
    dispatcher.wakeUp(100);
    await running(2);
    served.get('a')?.resolve();
    await running(3);
    expect(claims).toHaveLength(2);
  });

  it('continues after locking channels fails, and after sending for a channel fails', async () => {
    const fails = async () => Promise.reject(new Error('no database'));
    let n = 0;
    const claim = async () => ((n += 1) === 1 ? fails() : { leased: 1, batches: n < 5 ? [batchOf('a')] : [] });
    const failing = new DeliveryDispatcher(
      { claim } as unknown as LeaseChannels,
      { run: fails } as unknown as ServeChannel,
    );
    failing.wakeUp(2);
    await eventually(
      async () => n,
      (made) => made === 1,
    );
    failing.wakeUp(2);
    await eventually(
      async () => n,
      (made) => made >= 5,
    );
    await failing.drain();
  });

  it('finishes the channels in progress when it is stopped, and locks no more', async () => {
    due = ['a', 'b', 'c'];
    dispatcher.wakeUp(100);
    await running(2);
    let isDrained = false;
    const drained = dispatcher.drain().then(() => (isDrained = true));
    served.get('a')?.resolve();
    dispatcher.wakeUp(100);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([isDrained, claims.length]).toEqual([false, 1]);
    served.get('b')?.resolve();
    await drained;
    expect(claims).toHaveLength(1);
  });
});
