import { type FactoryProvider, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';

interface TaskContext {
  readonly log: Logger;
  /** Aborted when the process stops: a run that repeats itself ends early. */
  readonly signal: AbortSignal;
}

/** Work that a process repeats at an interval. Several processes may run the same task, so it must be safe to repeat. */
export interface TaskDefinition<Service> {
  /** Unique in a process: the injection token, and the name in logs and in Nest's SchedulerRegistry. */
  readonly name: string;
  readonly service: abstract new (...dependencies: never[]) => Service;
  readonly intervalMs: number | ((service: Service) => number);
  readonly startDelayMs?: number;
  readonly run: (service: Service, context: TaskContext) => Promise<unknown>;
}

/** Tasks with the same interval run this far apart: at the same moment each of them would need a connection of its own. */
const OFFSET_MS = 70;

/** Runs one task at its interval, never twice at a time. A failed run is logged and left to the next one. */
export class PeriodicTask<Service = unknown> implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log: Logger;
  private readonly stopping = new AbortController();
  private running: Promise<void> | null = null;

  constructor(
    private readonly definition: TaskDefinition<Service>,
    private readonly service: Service,
    private readonly scheduler: SchedulerRegistry,
  ) {
    this.log = new Logger(definition.name);
  }

  /** Nest clears these timers before the application shuts down. */
  onApplicationBootstrap(): void {
    const { name, intervalMs, startDelayMs } = this.definition;
    const everyMs = typeof intervalMs === 'number' ? intervalMs : intervalMs(this.service);
    const trigger = () => void this.trigger();
    const repeat = () => this.scheduler.addInterval(name, setInterval(trigger, everyMs));
    const offsetMs = (this.countTimers() * OFFSET_MS) % everyMs;
    if (offsetMs === 0) repeat();
    else this.scheduler.addTimeout(`${name}: offset`, setTimeout(repeat, offsetMs));
    if (startDelayMs !== undefined) this.scheduler.addTimeout(name, setTimeout(trigger, startDelayMs));
  }

  private countTimers(): number {
    return this.scheduler.getIntervals().length + this.scheduler.getTimeouts().length;
  }

  /** Runs now. While a run is in progress, returns that one. Never rejects. */
  trigger(): Promise<void> {
    if (this.stopping.signal.aborted) return this.running ?? Promise.resolve();
    this.running ??= this.runOnce().finally(() => (this.running = null));
    return this.running;
  }

  /** Waits for a run in progress, while the module's other providers are still open. */
  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async runOnce(): Promise<void> {
    try {
      await this.definition.run(this.service, { log: this.log, signal: this.stopping.signal });
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
