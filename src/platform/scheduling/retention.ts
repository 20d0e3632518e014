import { type FactoryProvider, Global, Injectable, Logger, Module } from '@nestjs/common';
import { MINUTE } from '../../kernel/clock.js';
import { periodicTask } from './periodic-task.js';

interface OldData<Service> {
  /** The name of this kind of data, for logs. It must be unique in a process. */
  readonly name: string;
  readonly service: abstract new (...dependencies: never[]) => Service;
  /**
   * Must be safe to repeat and to run in several processes at once, and must end early on abort. The result is logged.
   */
  readonly forget: (service: Service, signal: AbortSignal) => Promise<object | void>;
}

/** Deletes old data, one kind of data after the other. Modules register the kinds. */
@Injectable()
export class Retention {
  private readonly log = new Logger('Retention');
  private readonly parts: {
    readonly name: string;
    readonly forget: (signal: AbortSignal) => Promise<object | void>;
  }[] = [];

  add<Service>({ name, forget }: OldData<Service>, service: Service): void {
    this.parts.push({ name, forget: (signal) => forget(service, signal) });
  }

  /** If one kind cannot be deleted, the other kinds are still deleted, and the next run retries. */
  async run(signal: AbortSignal): Promise<void> {
    for (const { name, forget } of this.parts) {
      if (signal.aborted) return;
      try {
        const forgotten = await forget(signal);
        if (forgotten) this.log.log(forgotten, `deleted old ${name}`);
      } catch (error) {
        this.log.warn(`old ${name} could not be deleted, the next run retries: ${(error as Error).message}`);
      }
    }
  }
}

export function oldData<Service>(kind: OldData<Service>): FactoryProvider {
  return {
    provide: `old ${kind.name}`,
    inject: [Retention, kind.service],
    useFactory: (retention: Retention, service: Service) => retention.add(kind, service),
  };
}

const forgetOldData = periodicTask({
  name: 'forget-old-data',
  service: Retention,
  intervalMs: 10 * MINUTE,
  run: (retention, { signal }) => retention.run(signal),
});

@Global()
@Module({ providers: [Retention, forgetOldData], exports: [Retention] })
export class RetentionModule {}
