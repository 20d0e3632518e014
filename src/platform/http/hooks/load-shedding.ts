import type { FastifyInstance, FastifyRequest } from 'fastify';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DomainError } from '../../../kernel/domain-error.js';

export interface LoadLimits {
  /** Requests under way at a time. */
  readonly maxInFlight: number;
  /** Of one account at a time, whatever it asks for: what is left is for others. */
  readonly maxInFlightPerAccount: number;
  /** Milliseconds that turns of the event loop are late on average, for two seconds in a row. */
  readonly maxLoopDelayMs: number;
}

/** Beyond these a caller would rather hear at once that it is to come again than wait for an answer. */
const DEFAULT_LIMITS: LoadLimits = { maxInFlight: 1_000, maxInFlightPerAccount: 250, maxLoopDelayMs: 1_000 };
const SAMPLE_INTERVAL_MS = 1_000;
const RESOLUTION_MS = 20;
const NANOSECONDS_PER_MS = 1e6;
const RETRY_AFTER_SECONDS = 1;
/** Probes are answered whatever the load is, and streams are under way for as long as somebody listens. */
const LIVENESS_PATH = '/livez';
const EXEMPT_PATHS = [LIVENESS_PATH, '/readyz', '/v1/events/stream'];

type Sender = FastifyRequest & { readonly caller?: { readonly account: { readonly id: string } } | null };

/**
 * Refuses what cannot be borne, before anything is done for it; and everything while the process is being stopped.
 * A request is under way from when its body was read: else who sends slowly, or never to the end, holds a place that
 * others need. Bodies that are being read are bounded by the server's `requestTimeout`.
 */
export function shedLoad(fastify: FastifyInstance, limits: LoadLimits = DEFAULT_LIMITS): void {
  const loop = monitorEventLoop(fastify);
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
    if (isClosing && !url.startsWith(LIVENESS_PATH)) return done(new NotReady('The process is being stopped.'));
    done(isOverloaded() && !isExempt(url) ? new Overloaded() : undefined);
  });
  fastify.addHook('preValidation', ({ url, caller }: Sender, reply, done) => {
    if (isExempt(url) || reply.raw.closed) return done();
    const account = caller?.account.id;
    const isAccountOverLimit =
      account !== undefined && (inFlightByAccount.get(account) ?? 0) >= limits.maxInFlightPerAccount;
    if (isOverloaded() || isAccountOverLimit) return done(new Overloaded()); // many may have been read at a time
    inFlight += 1;
    if (account !== undefined) addInFlight(account, 1);
    reply.raw.once('close', () => {
      inFlight -= 1; // also of those who hang up
      if (account !== undefined) addInFlight(account, -1);
    });
    done();
  });
}

export class NotReady extends DomainError {
  constructor(message: string, details: Readonly<Record<string, unknown>> = {}) {
    super('not_ready', message, { retry_after_seconds: RETRY_AFTER_SECONDS, ...details });
  }
}

class Overloaded extends DomainError {
  constructor() {
    super('overloaded', 'The process has more to do than it can.', { retry_after_seconds: RETRY_AFTER_SECONDS });
  }
}

function isExempt(url: string): boolean {
  return EXEMPT_PATHS.some((path) => url.startsWith(path));
}

/** One long turn, however long, is no overload; turns that are long for two samples in a row are. */
function monitorEventLoop(fastify: FastifyInstance): { delay: () => number } {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  let [last, before] = [0, 0];
  const timer = setInterval(() => {
    before = last;
    last = histogram.count > 0 ? histogram.mean / NANOSECONDS_PER_MS - RESOLUTION_MS : 0;
    histogram.reset();
  }, SAMPLE_INTERVAL_MS).unref();
  fastify.addHook('onClose', (_instance, done) => {
    clearInterval(timer);
    histogram.disable();
    done();
  });
  return { delay: () => Math.min(last, before) };
}
