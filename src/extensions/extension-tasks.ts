import {
  Inject,
  Injectable,
  Logger,
  Module,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type Type,
} from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { randomUUID } from 'node:crypto';
import { TaskConfig } from '../config/sections.js';
import { includesRole } from '../config/process-role.js';
import { SECOND } from '../kernel/clock.js';
import { withTimeout } from '../kernel/promises.js';
import { Tracer } from '../kernel/tracing/tracer.js';
import { SqlClient } from '../platform/database/sql-client.js';
import { Metrics } from '../platform/metrics/metrics.js';
import { PeriodicTask, type TaskContext } from '../platform/scheduling/periodic-task.js';
import type { BackgroundTask } from './background-task.js';
import { ExtensionCalls, ExtensionFailed } from './extension-calls.js';

/** Injection token: `readonly ExtensionTask[]`. */
export const EXTENSION_TASKS = 'extension-tasks';

export interface ExtensionTask {
  /** The name of its extension. */
  readonly extension: string;
  readonly task: BackgroundTask;
}

/** Processes that start together do not ask for a task together, and none waits longer than this for its first run. */
const MAX_START_DELAY_MS = 30 * SECOND;

const CLAIM = {
  name: 'claim_extension_task',
  text: `insert into extension_tasks as known (extension, task, due_at, leased_until, lease)
    values ($1, $2, now() + $3 * interval '1 second', now() + $4 * interval '1 second', $5)
    on conflict (extension, task) do update set due_at = excluded.due_at, leased_until = excluded.leased_until, lease = excluded.lease
      where (known.due_at <= now() or $6) and (known.leased_until is null or known.leased_until <= now())
    returning 1`,
};
const RENEW = {
  name: 'renew_extension_task',
  text: `update extension_tasks set leased_until = now() + $4 * interval '1 second'
    where extension = $1 and task = $2 and lease = $3 and leased_until > now() returning 1`,
};
const FINISH = {
  name: 'finish_extension_task',
  text: `update extension_tasks set leased_until = null, lease = null,
      succeeded_at = case when $4 then now() else succeeded_at end
    where extension = $1 and task = $2 and lease = $3`,
};
const AGES = {
  name: 'extension_task_ages',
  text: `select extension, task, extract(epoch from now() - succeeded_at)::float8 as seconds
    from extension_tasks where succeeded_at is not null`,
};

/** Runs the tasks of extensions at their intervals, an exclusive one in one process at a time. */
@Injectable()
export class ExtensionTasks implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger('ExtensionTasks');
  private readonly periodic: readonly PeriodicTask<ExtensionTasks>[];

  constructor(
    @Inject(EXTENSION_TASKS) private readonly tasks: readonly ExtensionTask[],
    private readonly config: TaskConfig,
    private readonly sql: SqlClient,
    private readonly calls: ExtensionCalls,
    private readonly tracer: Tracer,
    metrics: Metrics,
    scheduler: SchedulerRegistry,
  ) {
    this.periodic = tasks
      .filter(({ task }) => includesRole(config.role, task.role))
      .map((one) => this.toPeriodicTask(one, scheduler));
    if (tasks.length > 0)
      metrics.gauge(
        'namewatch_extension_task_age_seconds',
        'How long ago an exclusive task of an extension last succeeded, over all processes.',
        () => this.readAges(),
        ['extension', 'task'],
      );
  }

  onApplicationBootstrap(): void {
    for (const task of this.periodic) task.onApplicationBootstrap();
  }

  /** Runs under way get a signal to stop, and are waited for. */
  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.periodic.map((task) => task.onModuleDestroy()));
  }

  /**
   * Runs a task now, in whatever role, unless another process does.
   * @throws what the task throws
   */
  async runNow(type: Type<BackgroundTask>): Promise<void> {
    const found = this.tasks.find(({ task }) => task instanceof type);
    if (!found) throw new Error(`no extension has the task ${type.name}`);
    await this.runIfDue(found, new AbortController().signal, true);
  }

  private toPeriodicTask(one: ExtensionTask, scheduler: SchedulerRegistry): PeriodicTask<ExtensionTasks> {
    const intervalMs = one.task.intervalSeconds * SECOND;
    const definition = {
      name: toTaskName(one),
      service: ExtensionTasks,
      intervalMs,
      startDelayMs: Math.random() * Math.min(intervalMs, MAX_START_DELAY_MS),
      run: (tasks: ExtensionTasks, { signal }: TaskContext) => tasks.runIfDue(one, signal, false),
    };
    return new PeriodicTask(definition, this, scheduler);
  }

  private async runIfDue(one: ExtensionTask, signal: AbortSignal, isForced: boolean): Promise<void> {
    const { extension, task } = one;
    if (!task.isExclusive) return this.run(one, signal);
    const lease = randomUUID();
    // A timer that is a little early must not put the run off by a whole interval.
    const dueSeconds = task.intervalSeconds - Math.min(task.intervalSeconds / 10, 5);
    const claimed = await this.sql.run(CLAIM, [
      extension,
      task.name,
      dueSeconds,
      this.config.leaseSeconds,
      lease,
      isForced,
    ]);
    if (claimed.length === 0) return;
    let hasSucceeded = false;
    const lost = new AbortController();
    const renewal = this.renewUntilLost(one, lease, lost);
    try {
      await this.run(one, AbortSignal.any([signal, lost.signal]));
      hasSucceeded = !lost.signal.aborted;
    } finally {
      clearInterval(renewal);
      await this.sql.run(FINISH, [extension, task.name, lease, hasSucceeded]);
    }
  }

  /** A process that cannot renew its lease stops: another one may have begun. */
  private renewUntilLost(one: ExtensionTask, lease: string, lost: AbortController): NodeJS.Timeout {
    const { extension, task } = one;
    const { leaseSeconds } = this.config;
    const renew = async () => {
      const renewed = await this.sql.run(RENEW, [extension, task.name, lease, leaseSeconds]).catch(() => []);
      if (renewed.length > 0 || lost.signal.aborted) return;
      this.log.warn(`${toTaskName(one)} stops: its lease was lost`);
      lost.abort();
    };
    return setInterval(() => void renew(), (leaseSeconds * SECOND) / 3);
  }

  private async run(one: ExtensionTask, signal: AbortSignal): Promise<void> {
    const { extension, task } = one;
    const late = new AbortController();
    const limited = AbortSignal.any([signal, late.signal]);
    const run = async () => task.run(limited);
    const span = { name: `task ${toTaskName(one)}`, kind: 'internal' } as const;
    try {
      await this.calls.measure(extension, 'task', () =>
        withTimeout(task.limitSeconds * SECOND, this.tracer.trace(span, run)),
      );
    } catch (error) {
      late.abort();
      throw new ExtensionFailed(extension, `${task.constructor.name}.run`, error);
    }
  }

  private async readAges() {
    const ages = await this.sql.run<{ extension: string; task: string; seconds: number }>(AGES);
    return ages.map(({ extension, task, seconds }) => ({ labels: { extension, task }, value: seconds }));
  }
}

function toTaskName({ extension, task }: ExtensionTask): string {
  return `${extension}.${task.name}`;
}

/** The tasks of a service; administration commands have none. */
@Module({ providers: [ExtensionTasks] })
export class ExtensionTasksModule {}
