import { type FactoryProvider, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { MINUTE, SECOND } from '../../kernel/clock.js';

interface TaskContext {
  readonly log: Logger;
  /** This signal is aborted when the process stops, so that a long run ends early. */
  readonly signal: AbortSignal;
}

/** Work that is repeated at an interval. Several processes may do the same work at once, which must be harmless. */
export interface TaskDefinition<Service> {
  /**
   * The name in logs, the injection token, and the name in Nest's SchedulerRegistry. It must be unique in a process.
   */
  readonly name: string;
  readonly service: abstract new (...dependencies: never[]) => Service;
  readonly intervalMs: number | ((service: Service) => number);
  readonly startDelayMs?: number;
  /** After a minute without work, the task runs only once a second. `run` must return true if there was work. */
  readonly restsWhenIdle?: boolean;
  readonly run: (service: Service, context: TaskContext) => Promise<unknown>;
}

/** Each task starts this much after the previous task, so that tasks do not need connections all at once. */
const OFFSET_MS = 70;
const IDLE_AFTER_MS = MINUTE;
const IDLE_INTERVAL_MS = SECOND;

/** Repeats one task without overlap. If a run fails, the error is logged, and the next run retries. */
export class PeriodicTask<Service = unknown> implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log: Logger;
  private readonly stopping = new AbortController();
  private running: Promise<void> | null = null;
  private ranAt = -Infinity;
  private workedAt = performance.now();

  constructor(
    private readonly definition: TaskDefinition<Service>,
    private readonly service: Service,
    private readonly scheduler: SchedulerRegistry,
  ) {
    this.log = new Logger(definition.name);
  }

  /** Starts the timers. Nest clears them before the application shuts down. */
  onApplicationBootstrap(): void {
    const { name, intervalMs, startDelayMs } = this.definition;
    const everyMs = typeof intervalMs === 'number' ? intervalMs : intervalMs(this.service);
    const trigger = () => void (this.isResting() || this.trigger());
    const repeat = () => this.scheduler.addInterval(name, setInterval(trigger, everyMs));
    const offsetMs = (this.countTimers() * OFFSET_MS) % everyMs;
    if (offsetMs === 0) repeat();
    else this.scheduler.addTimeout(`${name}: offset`, setTimeout(repeat, offsetMs));
    if (startDelayMs !== undefined) this.scheduler.addTimeout(name, setTimeout(trigger, startDelayMs));
  }

  private countTimers(): number {
    return this.scheduler.getIntervals().length + this.scheduler.getTimeouts().length;
  }

  /** Runs the task now. If a run is in progress, returns that run. Never rejects. */
  trigger(): Promise<void> {
    if (this.stopping.signal.aborted) return this.running ?? Promise.resolve();
    this.running ??= this.runOnce().finally(() => (this.running = null));
    return this.running;
  }

  /** Makes an idle task run at its usual interval again, because there is or will be work. */
  expectWork(): void {
    this.workedAt = performance.now();
  }

  private isResting(): boolean {
    const now = performance.now();
    const isIdle = this.definition.restsWhenIdle === true && now - this.workedAt > IDLE_AFTER_MS;
    return isIdle && now - this.ranAt < IDLE_INTERVAL_MS;
  }

  /** Waits for a run in progress. Nest closes the database, which the run needs, only after this. */
  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async runOnce(): Promise<void> {
    this.ranAt = performance.now();
    try {
      const hasWorked = await this.definition.run(this.service, { log: this.log, signal: this.stopping.signal });
      if (hasWorked === true) this.expectWork();
    } catch (error) {
      this.log.warn(`${this.definition.name} failed, the next run retries: ${(error as Error).message}`);
    }
  }
}

export function periodicTask<Service>(definition: TaskDefinition<Service>): FactoryProvider<PeriodicTask<Service>> {
  return {
    provide: definition.name,
    inject: [definition.service, SchedulerRegistry],
    useFactory: (service: Service, scheduler: SchedulerRegistry) => new PeriodicTask(definition, service, scheduler),
  };
}
