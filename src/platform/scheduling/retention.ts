import { type FactoryProvider, Global, Injectable, Logger, Module } from '@nestjs/common';
import { MINUTE } from '../../kernel/clock.js';
import { periodicTask } from './periodic-task.js';

interface OldData<Service> {
  /** Unique in a process. */
  readonly name: string;
  readonly service: abstract new (...dependencies: never[]) => Service;
  /** Safe to repeat, and in several processes at once; ends early when the signal is aborted. Its result is logged. */
  readonly forget: (service: Service, signal: AbortSignal) => Promise<object | void>;
}

/** Deletes what is old, one kind after the other. Modules say what they keep for a time. */
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

  /** A kind that fails is left to the next run, and keeps no other from its turn. */
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

/** Of a module that keeps something for a time. */
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
