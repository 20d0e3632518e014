import type { FastifyInstance } from 'fastify';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { TooManyConcurrentRequests } from '../../concurrency/fair-semaphore.js';
import { getAccountId } from '../request.js';
import { DomainError } from '../../../kernel/domain-error.js';

export interface LoadLimits {
  /** More is 503, like a loop that is later than below. */
  readonly maxInFlight: number;
  /** Limits requests at work or waiting, so that capacity remains for others; more is 429. */
  readonly maxInFlightPerAccount: number;
  /** Average delay of the event loop in two consecutive samples. */
  readonly maxLoopDelayMs: number;
  readonly sampleIntervalMs: number;
}

export const DEFAULT_LOAD_LIMITS = { maxInFlight: 1_000, maxLoopDelayMs: 1_000, sampleIntervalMs: 1_000 };
/** Wakes the process up as often; a finer one costs an idle service more than its work. */
const RESOLUTION_MS = 100;
const NANOSECONDS_PER_MS = 1e6;
const RETRY_AFTER_SECONDS = 1;
/** Probes always work, and streams stay open for as long as their clients listen. */
const LIVENESS_PATH = '/livez';
const EXEMPT_PATHS = [LIVENESS_PATH, '/readyz', '/v1/events/stream'];

/**
 * Rejects requests above the limits before any work, and all requests during shutdown. A request counts as in flight
 * once its body is read: slow senders would otherwise block others; the server's `requestTimeout` bounds them.
 */
export function shedLoad(fastify: FastifyInstance, limits: LoadLimits): void {
  const loop = monitorEventLoop(fastify, limits.sampleIntervalMs);
  let inFlight = 0;
  const inFlightByAccount = new Map<string, number>();
  let isClosing = false;
  const isOverloaded = () => inFlight >= limits.maxInFlight || loop.delay() > limits.maxLoopDelayMs;
  const addInFlight = (account: string, by: 1 | -1) => {
    const inFlightOfAccount = (inFlightByAccount.get(account) ?? 0) + by;
    if (inFlightOfAccount > 0) inFlightByAccount.set(account, inFlightOfAccount);
    else inFlightByAccount.delete(account);
  };
  fastify.addHook('preClose', (done) => {
    isClosing = true;
    done();
  });
  fastify.addHook('onRequest', ({ url }, _reply, done) => {
    if (isClosing && !url.startsWith(LIVENESS_PATH)) return done(NotReady.shuttingDown());
    done(isOverloaded() && !isExempt(url) ? new Overloaded() : undefined);
  });
  fastify.addHook('preValidation', (request, reply, done) => {
    if (isExempt(request.url) || reply.raw.closed) return done();
    const account = getAccountId(request);
    const isAccountOverLimit =
      account !== undefined && (inFlightByAccount.get(account) ?? 0) >= limits.maxInFlightPerAccount;
    if (isOverloaded()) return done(new Overloaded()); // many bodies may have arrived together
    if (isAccountOverLimit) return done(new TooManyConcurrentRequests('This account has too many requests in flight.'));
    inFlight += 1;
    if (account !== undefined) addInFlight(account, 1);
    reply.raw.once('close', () => {
      inFlight -= 1; // also on disconnect
      if (account !== undefined) addInFlight(account, -1);
    });
    done();
  });
}

export class NotReady extends DomainError {
  constructor(message: string, details: Readonly<Record<string, unknown>> = {}) {
    super('not_ready', message, { retry_after_seconds: RETRY_AFTER_SECONDS, ...details });
  }

  static shuttingDown(): NotReady {
    return new NotReady('The process is shutting down.');
  }
}

class Overloaded extends DomainError {
  constructor() {
    super('overloaded', 'The process is overloaded.', { retry_after_seconds: RETRY_AFTER_SECONDS });
  }
}

function isExempt(url: string): boolean {
  return EXEMPT_PATHS.some((path) => url.startsWith(path));
}

/** A single long turn is not overload; two consecutive slow samples are. */
function monitorEventLoop(fastify: FastifyInstance, sampleIntervalMs: number): { delay: () => number } {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  let [last, before] = [0, 0];
  const timer = setInterval(() => {
    before = last;
    last = histogram.count > 0 ? histogram.mean / NANOSECONDS_PER_MS - RESOLUTION_MS : 0;
    histogram.reset();
  }, sampleIntervalMs).unref();
  fastify.addHook('onClose', (_instance, done) => {
    clearInterval(timer);
    histogram.disable();
    done();
  });
  return { delay: () => Math.min(last, before) };
}
