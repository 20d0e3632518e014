import {
  Inject,
  Injectable,
  Logger,
  Module,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type Type,
} from '@nestjs/common';
import { includesRole } from '../config/process-role.js';
import { TaskConfig } from '../config/sections.js';
import { SECOND } from '../kernel/clock.js';
import { withTimeout } from '../kernel/promises.js';
import { inSpan } from '../platform/tracing/spans.js';
import { DatabaseUnavailable } from '../kernel/unit-of-work.js';
import { RepairAfterPutBack } from '../platform/database/put-back-repair.js';
import { SqlClient } from '../platform/database/sql-client.js';
import { Metrics } from '../platform/metrics/metrics.js';
import type { BackgroundTask } from './background-task.js';
import { ExtensionCalls, ExtensionFailed } from './extension-calls.js';
import { toSentence } from './extensions.js';
import { type LeasedTask, type RunOutcome, TASK_REPAIRS, TaskLease } from './task-lease.js';

/** The injection token of the tasks of all extensions: `readonly ExtensionTask[]`. */
export const EXTENSION_TASKS = 'extension-tasks';

export interface ExtensionTask {
  readonly extension: string;
  readonly task: BackgroundTask;
}

/** The maximum random delay of a first run, so that processes do not all run a task at once. */
const MAX_START_DELAY_MS = 30 * SECOND;
/** The longest wait before the next attempt if the database cannot say when a task is due. */
const MAX_RETRY_MS = 5 * SECOND;
/** Prevents a busy loop if a timer fires too early by the database's clock. */
const MIN_DELAY_MS = 10;

const AGES = {
  name: 'extension_task_ages',
  text: `select extension, task, extract(epoch from now() - succeeded_at)::float8 as seconds
    from extension_tasks where succeeded_at is not null`,
};

/** Runs the tasks of extensions at their intervals. An exclusive task runs in only one process at a time. */
@Injectable()
export class ExtensionTasks implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger('ExtensionTasks');
  private readonly timers = new Map<ExtensionTask, NodeJS.Timeout>();
  private readonly attempts = new Map<ExtensionTask, Promise<unknown>>();
  private readonly stops = new Set<AbortController>();
  private isScheduled = true;
  private isStopping = false;

  constructor(
    @Inject(EXTENSION_TASKS) private readonly tasks: readonly ExtensionTask[],
    private readonly config: TaskConfig,
    private readonly sql: SqlClient,
    private readonly calls: ExtensionCalls,
    metrics: Metrics,
    repair: RepairAfterPutBack,
  ) {
    repair.register(...TASK_REPAIRS);
    if (tasks.length > 0)
      metrics.gauge(
        'namewatch_extension_task_age_seconds',
        'How long ago an exclusive task of an extension last succeeded, over all processes.',
        () => this.readAges(),
        ['extension', 'task'],
      );
  }

  /**
   * Starts the timers. TIME_SCALE, which speeds time up in tests, does not shorten the intervals, because tasks work
   * with outside systems.
   */
  onApplicationBootstrap(): void {
    for (const one of this.tasks) {
      const { role, intervalSeconds } = one.task;
      if (!includesRole(this.config.role, role)) continue;
      this.schedule(one, Math.random() * Math.min(intervalSeconds * SECOND, MAX_START_DELAY_MS));
    }
  }

  /** Stops the timers, so that tasks run only by `runNow`. */
  unschedule(): void {
    this.isScheduled = false;
    for (const timer of this.timers.values()) clearTimeout(timer);
  }

  stop(): void {
    this.isStopping = true;
    this.unschedule();
    for (const stop of this.stops) stop.abort(new Error('the process stops'));
  }

  /** Waits for current runs, at most DRAIN_SECONDS, before their extensions close. */
  async onModuleDestroy(): Promise<void> {
    this.stop();
    const limitMs = this.config.drainSeconds * SECOND;
    const slow = setTimeout(() => {
      const names = [...this.attempts.keys()].map(toName).join(', ');
      this.log.warn(`${names} had the signal to stop ${limitMs / 2 / SECOND} s ago, and still runs`);
    }, limitMs / 2);
    const ended = Promise.allSettled(this.attempts.values()).then(() => undefined);
    await withTimeout(limitMs, ended, () => undefined).finally(() => clearTimeout(slow));
  }

  /**
   * Runs the task even if the task is not due.
   * @throws ExtensionFailed if the task throws; Error if another process runs the task, or if no extension has the task
   */
  async runNow(type: Type<BackgroundTask>): Promise<void> {
    const found = this.tasks.find(({ task }) => task instanceof type);
    if (!found) throw new Error(`no extension has the task ${type.name}`);
    await this.attempts.get(found);
    if (!(await this.begin(found, () => this.runIfDue(found, true))))
      throw new Error(`another process runs ${toName(found)}`);
  }

  private schedule(one: ExtensionTask, delayMs: number): void {
    if (!this.isScheduled) return;
    const attempt = async () => {
      const nextMs = await this.begin(one, () => this.attempt(one));
      this.schedule(one, nextMs);
    };
    this.timers.set(
      one,
      setTimeout(() => void attempt(), Math.max(delayMs, MIN_DELAY_MS)),
    );
  }

  private async begin<Result>(one: ExtensionTask, work: () => Promise<Result>): Promise<Result> {
    const attempt = work();
    const ended = attempt.catch(() => undefined).then(() => this.attempts.delete(one));
    this.attempts.set(one, ended);
    try {
      return await attempt;
    } finally {
      await ended;
    }
  }

  /** Never rejects. @returns the milliseconds until the next attempt */
  private async attempt(one: ExtensionTask): Promise<number> {
    const beganAt = performance.now();
    try {
      await this.runIfDue(one, false);
    } catch (error) {
      // The SQL client has already logged that the database is unavailable.
      if (!(error instanceof DatabaseUnavailable))
        this.log.warn(`${toName(one)} failed, the next run retries: ${(error as Error).message}`);
    }
    const { intervalSeconds, isExclusive } = one.task;
    if (!isExclusive) return intervalSeconds * SECOND - (performance.now() - beganAt);
    const waitSeconds = TaskLease.readWait(this.sql, toLeased(one)).then((seconds) => seconds * SECOND);
    return waitSeconds.catch(() => Math.min(intervalSeconds * SECOND, MAX_RETRY_MS));
  }

  /** @returns false if an exclusive task did not run, because the task is not due or another process runs the task */
  private async runIfDue(one: ExtensionTask, isForced: boolean): Promise<boolean> {
    const stop = new AbortController();
    if (!one.task.isExclusive) {
      await this.run(one, stop);
      return true;
    }
    const { leaseSeconds } = this.config;
    const lose = (reason: Error) => stop.abort(reason);
    const lease = await TaskLease.claim(this.sql, toLeased(one), { leaseSeconds, isForced }, lose);
    if (!lease) return false;
    let outcome: RunOutcome = 'failed';
    try {
      outcome = this.isStopping ? 'stopped' : await this.run(one, stop);
    } finally {
      await lease.release(outcome).catch((error: unknown) => {
        this.log.warn(`${toName(one)} ended, and runs again: that could not be noted (${toSentence(error)})`);
      });
    }
    return true;
  }

  /** @throws ExtensionFailed if the run fails or takes too long, but not after a stop */
  private async run(one: ExtensionTask, stop: AbortController): Promise<RunOutcome> {
    const { extension, task } = one;
    this.stops.add(stop);
    const work = () =>
      withTimeout(
        task.limitSeconds * SECOND,
        inSpan(`task ${toName(one)}`, {}, async () => task.run(stop.signal)),
      );
    try {
      await this.calls.measure(extension, 'task', work, () => stop.signal.aborted);
      return stop.signal.aborted ? 'stopped' : 'succeeded';
    } catch (error) {
      const reason = toSentence(error);
      if (stop.signal.aborted) {
        this.log.log(`${toName(one)} was stopped: ${reason}`);
        return 'stopped';
      }
      stop.abort(error); // tells the run to end, because the run may go on after a timeout
      throw new ExtensionFailed(extension, `${task.constructor.name}.run`, error, `: ${reason}`);
    } finally {
      this.stops.delete(stop);
    }
  }

  /** Leaves out tasks that this process does not have, because their extensions may be uninstalled. */
  private async readAges() {
    const ages = await this.sql.run<{ extension: string; task: string; seconds: number }>(AGES);
    const names = new Set(this.tasks.filter(({ task }) => task.isExclusive).map(toName));
    return ages
      .filter(({ extension, task }) => names.has(`${extension}.${task}`))
      .map(({ extension, task, seconds }) => ({ labels: { extension, task }, value: seconds }));
  }
}

function toName({ extension, task }: ExtensionTask): string {
  return `${extension}.${task.name}`;
}

function toLeased({ extension, task: { name, intervalSeconds } }: ExtensionTask): LeasedTask {
  return { extension, name, intervalSeconds };
}

@Module({ providers: [ExtensionTasks], exports: [ExtensionTasks] })
export class ExtensionTasksModule {}
