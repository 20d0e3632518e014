import {
  type CallHandler,
  type ExecutionContext,
  HttpException,
  Injectable,
  type NestInterceptor,
  type Type,
} from '@nestjs/common';
import { catchError, finalize, type Observable, throwError, timeout, TimeoutError } from 'rxjs';
import { SECOND } from '../kernel/clock.js';
import { DomainError } from '../kernel/domain-error.js';
import { type BoundedCounter, type BoundedHistogram, Metrics } from '../platform/metrics/metrics.js';
import { toSentence } from './supervised-start.js';

/** What the service asks of an extension while it runs, with the method that it calls. */
const METHODS = {
  account_data: 'deleteBatch',
  authenticator: 'identify',
  channel_sender: 'send',
  lookup_source: 'ask',
  plan_source: 'load',
  subscriber: 'handle',
} as const;
type CalledPort = keyof typeof METHODS;
export type Port = CalledPort | 'controller' | 'task';

/** No client waits longer for the beginning of an answer. */
const REQUEST_LIMIT_MS = 30 * SECOND;

/** The code of an extension threw something that is no refusal, or took too long. */
export class ExtensionFailed extends Error {
  override readonly name = 'ExtensionFailed';

  constructor(extension: string, step: string, cause: unknown) {
    super(`the extension ${extension} failed in ${step}: ${toSentence(cause)}`, { cause });
  }
}

/** Measures the calls of the extensions, by extension and port. */
@Injectable()
export class ExtensionCalls {
  private readonly seconds: BoundedHistogram;
  private readonly failures: BoundedCounter;

  constructor(metrics: Metrics) {
    const labels = { extension: 50, port: 10 };
    this.seconds = metrics.histogram('namewatch_extension_seconds', 'How long calls of extensions took.', labels);
    this.failures = metrics.counter(
      'namewatch_extension_failures_total',
      'Calls of extensions that threw an error, not counting refusals.',
      labels,
    );
  }

  async measure<Result>(extension: string, port: Port, work: () => Promise<Result>): Promise<Result> {
    const end = this.begin(extension, port);
    try {
      return await work();
    } catch (error) {
      end.failed(error);
      throw error;
    } finally {
      end.ended();
    }
  }

  begin(extension: string, port: Port): { failed: (error: unknown) => void; ended: () => void } {
    const began = performance.now();
    return {
      failed: (error) => void (isRefusal(error) || this.failures.increment(extension, port)),
      ended: () => this.seconds.observe((performance.now() - began) / SECOND, extension, port),
    };
  }

  /** Measures each later call of the method that the service calls; the instance is the same. */
  measureInstance<Instance extends object>(extension: string, port: CalledPort, instance: Instance): Instance {
    const method = METHODS[port];
    const target = instance as Record<string, unknown>;
    const original = target[method] as (...parameters: unknown[]) => Promise<unknown>;
    target[method] = (...parameters: unknown[]) =>
      this.measure(extension, port, async () => original.apply(instance, parameters));
    return instance;
  }
}

/** Refusals are expected: a caller gets them as an answer. */
function isRefusal(error: unknown): boolean {
  return error instanceof DomainError || error instanceof HttpException;
}

const INTERCEPTORS = new Map<string, Type<NestInterceptor>>();

/** Measures the requests to an extension's controllers, ends them in time, and names it in what they throw. */
export function namedRequests(extension: string): Type<NestInterceptor> {
  const known = INTERCEPTORS.get(extension);
  if (known) return known;
  @Injectable()
  class NamedRequests implements NestInterceptor {
    constructor(private readonly calls: ExtensionCalls) {}

    intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
      const step = `${context.getClass().name}.${context.getHandler().name}`;
      const call = this.calls.begin(extension, 'controller');
      return next.handle().pipe(
        timeout({ first: REQUEST_LIMIT_MS }),
        catchError((error: unknown) => {
          call.failed(error);
          return throwError(() => (isRefusal(error) ? error : new ExtensionFailed(extension, step, inWords(error))));
        }),
        finalize(() => call.ended()),
      );
    }
  }
  INTERCEPTORS.set(extension, NamedRequests);
  return NamedRequests;
}

function inWords(error: unknown): unknown {
  return error instanceof TimeoutError ? new Error('no answer within 30 s', { cause: error }) : error;
}
