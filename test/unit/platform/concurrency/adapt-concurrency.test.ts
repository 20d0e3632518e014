import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EventEmitter } from 'node:events';
import { RequestActivity } from '../../../../src/kernel/request-activity.js';
import { adaptConcurrency } from '../../../../src/platform/queue/adapt-concurrency.js';

class Requests extends RequestActivity {
  hasActiveRequests = false;
  wasRecentlyActive = false;
}

const requests = new Requests();
class FakeWorker extends EventEmitter {
  concurrency = 25;
}
const serve = (isServing: boolean) => {
  requests.wasRecentlyActive = isServing;
  jest.advanceTimersByTime(100);
};

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('a queue worker', () => {
  it('takes fewer jobs at a time while its process serves requests, and all of them again after', () => {
    const worker = new FakeWorker();
    adaptConcurrency(worker as never, { concurrency: 25, concurrencyBesideRequests: 1 }, requests);
    serve(true);
    expect(worker.concurrency).toBe(1);
    serve(false);
    expect(worker.concurrency).toBe(25);
  });

  it('keeps what it has once it closes', () => {
    const worker = new FakeWorker();
    adaptConcurrency(worker as never, { concurrency: 25, concurrencyBesideRequests: 1 }, requests);
    worker.emit('closing');
    serve(true);
    expect(worker.concurrency).toBe(25);
  });

  it('takes as many jobs beside requests as ever unless it is to give way', () => {
    const worker = new FakeWorker();
    adaptConcurrency(worker as never, { concurrency: 25 }, requests);
    serve(true);
    expect(worker.concurrency).toBe(25);
  });
});
