import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type INestApplicationContext, Logger, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { PeriodicTask, periodicTask, type TaskDefinition } from '../../../../src/platform/scheduling/periodic-task.js';

class Cleaner {
  runs = 0;
  finish: () => void = () => undefined;

  run(): Promise<void> {
    this.runs += 1;
    return new Promise((resolve) => (this.finish = resolve));
  }
}

const TASK: TaskDefinition<Cleaner> = {
  name: 'clean',
  service: Cleaner,
  intervalMs: 1_000,
  run: (cleaner) => cleaner.run(),
};

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const start = (definition: Partial<TaskDefinition<Cleaner>> = {}) => {
  const cleaner = new Cleaner();
  const scheduler = new SchedulerRegistry();
  const task = new PeriodicTask({ ...TASK, ...definition }, cleaner, scheduler);
  task.onApplicationBootstrap();
  return { cleaner, scheduler, task };
};

describe('a periodic task', () => {
  it('runs at its interval, the first time after one interval', async () => {
    const { cleaner, scheduler } = start({ run: (one) => Promise.resolve((one.runs += 1)) });
    expect(cleaner.runs).toBe(0);
    await jest.advanceTimersByTimeAsync(3_000);
    expect(cleaner.runs).toBe(3);
    expect(scheduler.getIntervals()).toEqual(['clean']);
  });

  it('first runs slightly later than a task that was registered before with the same interval', async () => {
    const { cleaner: first, scheduler } = start({ run: (one) => Promise.resolve((one.runs += 1)) });
    const second = new Cleaner();
    const run = (one: Cleaner) => Promise.resolve((one.runs += 1));
    new PeriodicTask({ ...TASK, name: 'sweep', run }, second, scheduler).onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(1_000);
    expect([first.runs, second.runs]).toEqual([1, 0]);
    await jest.advanceTimersByTimeAsync(100);
    expect([first.runs, second.runs]).toEqual([1, 1]);
  });

  it('also runs once after its start delay, before the first interval has passed', async () => {
    const { cleaner } = start({ startDelayMs: 10, run: (one) => Promise.resolve((one.runs += 1)) });
    await jest.advanceTimersByTimeAsync(10);
    expect(cleaner.runs).toBe(1);
  });

  it('lets its service decide the interval if the interval is a function', async () => {
    const { cleaner } = start({ intervalMs: ({ runs }) => (runs + 1) * 500 });
    await jest.advanceTimersByTimeAsync(500);
    expect(cleaner.runs).toBe(1);
  });

  it('does not run again while its previous run is still in progress', async () => {
    const { cleaner, task } = start();
    await jest.advanceTimersByTimeAsync(3_000);
    expect(cleaner.runs).toBe(1);
    expect(task.trigger()).toBe(task.trigger());
    cleaner.finish();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(cleaner.runs).toBe(2);
  });

  it('runs only once a second after an idle minute, until work is expected or found', async () => {
    let hasWork = false;
    const run = (one: Cleaner) => ((one.runs += 1), Promise.resolve(hasWork));
    const { cleaner, task } = start({ intervalMs: 250, restsWhenIdle: true, run });
    const runsIn = async (seconds: number) => {
      const before = cleaner.runs;
      await jest.advanceTimersByTimeAsync(seconds * 1_000);
      return cleaner.runs - before;
    };
    expect(await runsIn(60)).toBe(240);
    expect(await runsIn(60)).toBe(60);
    task.expectWork();
    expect(await runsIn(60)).toBe(240);
    hasWork = true;
    expect(await runsIn(1)).toBe(1);
    expect(await runsIn(60)).toBe(240);
  });

  it('logs a failure and runs again', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const { task } = start({ run: () => Promise.reject(new Error('connect ECONNREFUSED')) });
    await task.trigger();
    await task.trigger();
    expect(warn.mock.calls).toEqual(Array(2).fill(['clean failed, the next run retries: connect ECONNREFUSED']));
    warn.mockRestore();
  });

  it('aborts its signal at shutdown, waits for the run in progress, and starts no other run', async () => {
    let signal: AbortSignal | undefined;
    const { cleaner, task } = start({ run: (one, context) => ((signal = context.signal), one.run()) });
    void task.trigger();
    let isDestroyed = false;
    const destroyed = task.onModuleDestroy().then(() => (isDestroyed = true));
    await jest.advanceTimersByTimeAsync(2_000);
    expect([signal?.aborted, isDestroyed, cleaner.runs]).toEqual([true, false, 1]);
    cleaner.finish();
    await destroyed;
    await task.trigger();
    expect(cleaner.runs).toBe(1);
  });
});

describe('a periodic task in a Nest application', () => {
  const boot = (): Promise<INestApplicationContext> => {
    class TaskModule {}
    Module({ imports: [ScheduleModule.forRoot()], providers: [Cleaner, periodicTask(TASK)] })(TaskModule);
    return NestFactory.createApplicationContext(TaskModule, { logger: false });
  };

  it('starts and stops with the application, and is found by its name', async () => {
    const app = await boot();
    await jest.advanceTimersByTimeAsync(1_000);
    const cleaner = app.get(Cleaner);
    expect(cleaner.runs).toBe(1);
    expect(app.get(TASK.name)).toBeInstanceOf(PeriodicTask);
    cleaner.finish();
    await app.close();
    expect(app.get(SchedulerRegistry).getIntervals()).toEqual([]);
  });
});
