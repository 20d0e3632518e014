import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RequestActivity } from '../../../src/kernel/request-activity.js';
import { StoreWorker } from '../../../src/platform/queue/store-queue.js';
import { CheckProcessor } from '../../../src/watchlist/checks/check.processor.js';

class Requests extends RequestActivity {
  hasActiveRequests = false;
  wasRecentlyActive = false;
}

const requests = new Requests();
const serve = (isServing: boolean) => {
  requests.wasRecentlyActive = isServing;
  jest.advanceTimersByTime(100);
};

let worker: StoreWorker;
let processor: CheckProcessor;
beforeEach(() => {
  jest.useFakeTimers();
  const idle = { value: () => Promise.resolve() };
  const properties = { concurrency: { value: 25, writable: true }, start: idle, close: idle };
  worker = Object.create(StoreWorker.prototype, properties) as StoreWorker; // which connects to nothing
  processor = new CheckProcessor(null as never, requests);
  Object.assign(processor, { _worker: worker }); // as @nestjs/bullmq does
});
afterEach(() => void jest.useRealTimers());

describe('the worker of checks', () => {
  it('takes fewer jobs at a time while its process serves requests, and all of them again after', async () => {
    await processor.onApplicationBootstrap();
    serve(true);
    expect(worker.concurrency).toBe(1);
    serve(false);
    expect(worker.concurrency).toBe(25);
  });

  it('keeps what it has once it closes', async () => {
    await processor.onApplicationBootstrap();
    await processor.beforeApplicationShutdown();
    serve(true);
    expect(worker.concurrency).toBe(25);
  });
});
