import type { FastifyInstance, FastifyRequest } from 'fastify';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Overloaded, Places } from '../../concurrency/places.js';
import { getAccountId } from '../request.js';
import type { RouteAccess } from '../route-access.js';
import { DomainError } from '../../../kernel/domain-error.js';

export interface LoadLimits {
  /** While this many requests are in progress, further requests get 503. */
  readonly maxInFlight: number;
  /**
   * While an account has this many requests in progress, its further requests get 429. So other accounts find capacity.
   */
  readonly maxInFlightPerAccount: number;
  /** Limits the total bytes of the request bodies in memory. */
  readonly maxBodyBytes: number;
  readonly maxBodyBytesPerAccount: number;
  /** If the event loop's average delay is longer than this in two consecutive samples, requests get 503. */
  readonly maxLoopDelayMs: number;
  readonly sampleIntervalMs: number;
}

const MiB = 1024 * 1024;
export const DEFAULT_LOAD_LIMITS = {
  maxInFlight: 1_000,
  maxBodyBytes: 20 * MiB,
  maxBodyBytesPerAccount: 5 * MiB,
  maxLoopDelayMs: 1_000,
  sampleIntervalMs: 1_000,
};
/** Sampling the event loop more often would cost more than an idle service's own work. */
const RESOLUTION_MS = 100;
const NANOSECONDS_PER_MS = 1e6;
const RETRY_AFTER_SECONDS = 1;
const LIVENESS_PATH = '/livez';
/** No load limit: probes must be answered, and streams stay open for as long as their clients listen. */
const EXEMPT_PATHS = [LIVENESS_PATH, '/readyz', '/v1/events/stream'];

/** A request counts only after its body was read, so that clients that send slowly do not block others. */
export function shedLoad(fastify: FastifyInstance, limits: LoadLimits): void {
  const loop = monitorEventLoop(fastify, limits.sampleIntervalMs);
  const requests = new Places(limits.maxInFlight, limits.maxInFlightPerAccount, 'requests in flight');
  const bodies = new Places(limits.maxBodyBytes, limits.maxBodyBytesPerAccount, 'bytes in flight');
  let isClosing = false;
  const isLate = () => loop.delay() > limits.maxLoopDelayMs;
  fastify.addHook('preClose', (done) => {
    isClosing = true;
    done();
  });
  fastify.addHook('onRequest', ({ url }, _reply, done) => {
    if (isClosing && !url.startsWith(LIVENESS_PATH)) return done(NotReady.shuttingDown());
    done((requests.isFull || isLate()) && !isExempt(url) ? overloaded() : undefined);
  });
  fastify.addHook('preValidation', (request, reply, done) => {
    if (isExempt(request.url) || reply.raw.closed) return done();
    if (isLate()) return done(overloaded());
    const account = getAccountId(request);
    const bytes = account === undefined ? 0 : bodyBytes(request);
    const take = (places: Places, size: number) => {
      const place = places.take(account, size);
      if (place instanceof DomainError) return place;
      reply.raw.once('close', place); // runs after the response and on disconnect
      return undefined;
    };
    done(take(requests, 1) ?? (bytes > 0 ? take(bodies, bytes) : undefined));
  });
}

/** Returns the route's limit if the length is unknown, and 0 for uploads, which have a limit of their own. */
function bodyBytes({ headers, routeOptions: { config, bodyLimit } }: FastifyRequest): number {
  if ((config as RouteAccess).upload !== undefined) return 0;
  if (headers['content-length'] !== undefined) return Number(headers['content-length']);
  return headers['transfer-encoding'] === undefined ? 0 : bodyLimit;
}

export class NotReady extends DomainError {
  constructor(message: string, details: Readonly<Record<string, unknown>> = {}) {
    super('not_ready', message, { retry_after_seconds: RETRY_AFTER_SECONDS, ...details });
  }

  static shuttingDown(): NotReady {
    return new NotReady('The process is shutting down.');
  }
}

const overloaded = () => new Overloaded('The process is overloaded.');

function isExempt(url: string): boolean {
  return EXEMPT_PATHS.some((path) => url.startsWith(path));
}

/** Measures the delay of the event loop. Only two slow samples in a row count as overload. */
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
