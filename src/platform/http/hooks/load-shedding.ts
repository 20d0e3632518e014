import type { FastifyInstance, FastifyRequest } from 'fastify';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DomainError } from '../../../kernel/domain-error.js';

export interface Bearable {
  /** Requests under way at a time. */
  readonly inFlight: number;
  /** Of one account at a time, whatever it asks for: what is left is for others. */
  readonly inFlightPerAccount: number;
  /** Milliseconds that turns of the event loop are late on average, for two seconds in a row. */
  readonly loopDelay: number;
}

/** Beyond these a caller would rather hear at once that it is to come again than wait for an answer. */
const BEARABLE: Bearable = { inFlight: 1_000, inFlightPerAccount: 250, loopDelay: 1_000 };
const SAMPLED_EVERY = 1_000;
const RESOLUTION = 20;
const NANOSECONDS = 1e6;
const SOON = 1;
/** Probes are answered whatever the load is, and streams are under way for as long as somebody listens. */
const LIVENESS = '/livez';
const ALWAYS = [LIVENESS, '/readyz', '/v1/events/stream'];

type Sender = FastifyRequest & { readonly caller?: { readonly account: { readonly id: string } } | null };

/**
 * Refuses what cannot be borne, before anything is done for it; and everything while the process is being stopped.
 * A request is under way from when its body was read: else who sends slowly, or never to the end, holds a place that
 * others need. Bodies that are being read are bounded by the server's `requestTimeout`.
 */
export function shedLoad(fastify: FastifyInstance, bearable: Bearable = BEARABLE): void {
  const loop = watchedLoop(fastify);
  let inFlight = 0;
  const ofAccounts = new Map<string, number>();
  let isClosing = false;
  const isTooMuch = () => inFlight >= bearable.inFlight || loop.delay() > bearable.loopDelay;
  const count = (account: string, by: 1 | -1) => {
    const counted = (ofAccounts.get(account) ?? 0) + by;
    if (counted > 0) ofAccounts.set(account, counted);
    else ofAccounts.delete(account);
  };
  fastify.addHook('preClose', (done) => {
    isClosing = true;
    done();
  });
  fastify.addHook('onRequest', ({ url }, _reply, done) => {
    if (isClosing && !url.startsWith(LIVENESS)) return done(new NotReady('The process is being stopped.'));
    done(isTooMuch() && !isAlwaysTaken(url) ? new Overloaded() : undefined);
  });
  fastify.addHook('preValidation', ({ url, caller }: Sender, reply, done) => {
    if (isAlwaysTaken(url) || reply.raw.closed) return done();
    const account = caller?.account.id;
    const isAccountsShare = account !== undefined && (ofAccounts.get(account) ?? 0) >= bearable.inFlightPerAccount;
    if (isTooMuch() || isAccountsShare) return done(new Overloaded()); // many may have been read at a time
    inFlight += 1;
    if (account !== undefined) count(account, 1);
    reply.raw.once('close', () => {
      inFlight -= 1; // also of those who hang up
      if (account !== undefined) count(account, -1);
    });
    done();
  });
}

export class NotReady extends DomainError {
  constructor(message: string, details: Readonly<Record<string, unknown>> = {}) {
    super('not_ready', message, { retry_after_seconds: SOON, ...details });
  }
}

class Overloaded extends DomainError {
  constructor() {
    super('overloaded', 'The process has more to do than it can.', { retry_after_seconds: SOON });
  }
}

function isAlwaysTaken(url: string): boolean {
  return ALWAYS.some((path) => url.startsWith(path));
}

/** One long turn, however long, is no overload; turns that are long for two samples in a row are. */
function watchedLoop(fastify: FastifyInstance): { delay: () => number } {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION });
  histogram.enable();
  let [last, before] = [0, 0];
  const timer = setInterval(() => {
    before = last;
    last = histogram.count > 0 ? histogram.mean / NANOSECONDS - RESOLUTION : 0;
    histogram.reset();
  }, SAMPLED_EVERY).unref();
  fastify.addHook('onClose', (_instance, done) => {
    clearInterval(timer);
    histogram.disable();
    done();
  });
  return { delay: () => Math.min(last, before) };
}
