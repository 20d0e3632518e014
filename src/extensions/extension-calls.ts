import { HttpException, Injectable } from '@nestjs/common';
import { SECOND } from '../kernel/clock.js';
import { DomainError } from '../kernel/domain-error.js';
import { type BoundedCounter, type BoundedHistogram, Metrics } from '../platform/metrics/metrics.js';

/** An extension's code threw an unexpected error, or took too long. */
export class ExtensionFailed extends Error {
  override readonly name = 'ExtensionFailed';

  /** @param reason the end of the message, for outputs that print no `cause` */
  constructor(extension: string, step: string, cause: unknown, reason = '') {
    super(`the extension ${extension} failed in ${step}${reason}`, { cause });
  }
}

/** Measures calls to subscribers and tasks of extensions. Other metrics measure senders, sources and routes. */
@Injectable()
export class ExtensionCalls {
  private readonly seconds: BoundedHistogram;
  private readonly failures: BoundedCounter;

  constructor(metrics: Metrics) {
    const labels = { extension: 50, port: 10 };
    this.seconds = metrics.histogram(
      'namewatch_extension_seconds',
      'How long subscribers and tasks of extensions took.',
      labels,
    );
    this.failures = metrics.counter(
      'namewatch_extension_failures_total',
      'Runs of subscribers and tasks of extensions that threw an error, not counting refusals.',
      labels,
    );
  }

  async measure<Result>(
    extension: string,
    port: 'subscriber' | 'task',
    work: () => Promise<Result>,
    isExpected: (error: unknown) => boolean = isRefusal,
  ): Promise<Result> {
    const began = performance.now();
    try {
      return await work();
    } catch (error) {
      if (!isExpected(error)) this.failures.increment(extension, port);
      throw error;
    } finally {
      this.seconds.observe((performance.now() - began) / SECOND, extension, port);
    }
  }
}

/** Refusals are expected, and the caller gets them as a response. */
function isRefusal(error: unknown): boolean {
  return error instanceof DomainError || error instanceof HttpException;
}
