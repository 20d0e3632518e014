import {
  type CallHandler,
  type ExecutionContext,
  HttpException,
  Injectable,
  type NestInterceptor,
  type Type,
} from '@nestjs/common';
import { SSE_METADATA } from '@nestjs/common/constants.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { catchError, finalize, identity, NEVER, type Observable, throwError, timeout } from 'rxjs';
import { SECOND } from '../kernel/clock.js';
import { DomainError } from '../kernel/domain-error.js';
import { requestProblem } from '../platform/http/errors/problem.filter.js';
import { type BoundedCounter, type BoundedHistogram, Metrics } from '../platform/metrics/metrics.js';

/** What the service asks of an extension while it runs, with the method that it calls. */
const METHODS = {
  account_data: 'deleteBatch',
  authenticator: 'identify',
  channel_sender: 'send',
  lookup_source: 'ask',
  plan_source: 'load',
} as const;
type CalledPort = keyof typeof METHODS;
export type Port = CalledPort | 'controller' | 'subscriber' | 'task';

/** No client waits longer for the beginning of an answer. */
const REQUEST_LIMIT_MS = 30 * SECOND;

/** A call that takes longer has failed, whether it ends or not: what asked has given up by then. */
const LATE_MS: Readonly<Record<CalledPort, number>> = {
  account_data: 30 * SECOND,
  authenticator: 5 * SECOND,
  channel_sender: 15 * SECOND,
  lookup_source: 10 * SECOND,
  plan_source: 10 * SECOND,
};

/** The code of an extension threw something that is no refusal, or took too long. */
export class ExtensionFailed extends Error {
  override readonly name = 'ExtensionFailed';

  /** Logs add the message of the cause; what prints the message alone gives it as `reason`. */
  constructor(extension: string, step: string, cause: unknown, reason = '') {
    super(`the extension ${extension} failed in ${step}${reason}`, { cause });
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

  /** @param lateMs counts the call as failed after so long, though it may not have ended */
  async measure<Result>(
    extension: string,
    port: Port,
    work: () => Promise<Result>,
    lateMs = Infinity,
  ): Promise<Result> {
    const call = this.begin(extension, port, lateMs);
    try {
      return await work();
    } catch (error) {
      if (!isRefusal(error)) call.failed();
      throw error;
    } finally {
      call.ended();
    }
  }

  begin(extension: string, port: Port, lateMs = Infinity): { readonly failed: () => void; readonly ended: () => void } {
    const began = performance.now();
    let isCounted = false;
    const failed = () => {
      if (!isCounted) this.failures.increment(extension, port);
      isCounted = true;
    };
    const late = lateMs === Infinity ? undefined : setTimeout(failed, lateMs).unref();
    const ended = () => {
      clearTimeout(late);
      this.seconds.observe((performance.now() - began) / SECOND, extension, port);
    };
    return { failed, ended };
  }

  /** Measures each later call of the method that the service calls; the instance is the same. */
  measureInstance<Instance extends object>(extension: string, port: CalledPort, instance: Instance): Instance {
    const method = METHODS[port];
    const original = (instance as Readonly<Record<string, (...parameters: unknown[]) => unknown>>)[method];
    if (!original) return instance; // refused before
    const measured = (...parameters: unknown[]) =>
      this.measure(
        extension,
        port,
        // One that throws before it returns a promise has failed in the same way.
        () => Promise.resolve().then(() => Reflect.apply(original, instance, parameters)),
        LATE_MS[port],
      );
    // One that froze itself is called as it is.
    Reflect.defineProperty(instance, method, { value: measured, configurable: true, writable: true });
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
      const http = context.switchToHttp();
      const [request, reply] = [http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>()];
      const step = `${context.getClass().name}.${context.getHandler().name}`;
      const call = this.calls.begin(extension, 'controller');
      // An answer that has begun, such as a download or a stream of events, may take longer.
      const giveUp = () => (reply.raw.headersSent ? NEVER : throwError(() => new Error('no answer within 30 s')));
      const isStream = Reflect.hasMetadata(SSE_METADATA, context.getHandler());
      return next.handle().pipe(
        isStream ? identity : timeout({ first: REQUEST_LIMIT_MS, with: giveUp }),
        catchError((error: unknown) => {
          if (!requestProblem(error, request).unexpected) throw error;
          call.failed();
          throw new ExtensionFailed(extension, step, error);
        }),
        finalize(() => call.ended()),
      );
    }
  }
  INTERCEPTORS.set(extension, NamedRequests);
  return NamedRequests;
}
