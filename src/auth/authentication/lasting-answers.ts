import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SECOND } from '../../kernel/clock.js';
import { DomainError } from '../../kernel/domain-error.js';

/** How often responses are checked. Credentials are cached for 900 ms, so a revocation is noticed within a second. */
const STEP_MS = 100;
/** After this time, the authorization of an unfinished response is checked repeatedly. */
const CHECKED_AFTER_MS = SECOND / 2;
/** A response is ended if its caller cannot be checked for this long, because the caller may have lost access. */
const MAX_UNCONFIRMED_MS = 5 * SECOND;
/** How long a response may still tell the client that its authorization ended, before the connection is cut. */
const END_TIMEOUT_MS = 2 * SECOND;
const REFUSALS: ReadonlySet<string> = new Set([
  'authentication_required',
  'invalid_token',
  'insufficient_scope',
  'not_a_member',
]);

/** A response that this process is preparing or sending. */
class OpenAnswer {
  private readonly end = new AbortController();
  private isFollowed = false;
  private isBeingChecked = false;
  private confirmedAt = performance.now();
  private readonly beganAt = this.confirmedAt;

  constructor(
    private readonly reply: FastifyReply,
    private readonly confirm: () => Promise<unknown>,
  ) {}

  /** A signal that aborts when the authorization ends. Its reason is the error that a new request would get. */
  get ended(): AbortSignal {
    this.isFollowed = true;
    return this.end.signal;
  }

  async check(now: number): Promise<void> {
    if (this.isBeingChecked || this.end.signal.aborted || now - this.beganAt < CHECKED_AFTER_MS) return;
    this.isBeingChecked = true;
    try {
      await this.confirm();
      this.confirmedAt = performance.now();
    } catch (error) {
      const isRefusal = error instanceof DomainError && REFUSALS.has(error.code);
      if (isRefusal || performance.now() - this.confirmedAt >= MAX_UNCONFIRMED_MS) this.stop(error);
    } finally {
      this.isBeingChecked = false;
    }
  }

  /** Cuts the connection at once, or after two seconds if the response can still say why it ends. */
  private stop(refusal: unknown): void {
    const { raw } = this.reply;
    this.end.abort(refusal);
    if (raw.headersSent && !this.isFollowed) raw.destroy();
    else setTimeout(() => raw.destroy(), END_TIMEOUT_MS).unref();
  }
}

/**
 * Ends long responses, such as exports, when their authorization ends. Costs about one query a second for each
 * credential.
 */
export class LastingAnswers {
  private readonly open = new Map<FastifyRequest, OpenAnswer>();
  private timer: NodeJS.Timeout | null = null;

  /** @param confirm throws a DomainError if the request's authorization no longer holds */
  constructor(private readonly confirm: (request: FastifyRequest) => Promise<unknown>) {}

  install(fastify: FastifyInstance): void {
    fastify.decorateRequest('authorizationEnded', null);
    fastify.addHook('onClose', (_, done) => {
      this.stopTimer();
      done();
    });
  }

  add(request: FastifyRequest, reply: FastifyReply): void {
    const answer = new OpenAnswer(reply, () => this.confirm(request));
    request.authorizationEnded = () => answer.ended;
    this.open.set(request, answer);
    reply.raw.once('close', () => this.remove(request));
    this.timer ??= setInterval(() => this.checkAll(), STEP_MS).unref();
  }

  private remove(request: FastifyRequest): void {
    this.open.delete(request);
    if (this.open.size === 0) this.stopTimer();
  }

  private checkAll(): void {
    const now = performance.now();
    for (const answer of this.open.values()) void answer.check(now);
  }

  private stopTimer(): void {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
  }
}

/**
 * Returns a signal that aborts when the authorization ends. A route that asks for this signal then has two seconds to
 * end its response. Responses of other routes are cut at once if they have begun.
 */
export function endOfAuthorization({ authorizationEnded }: FastifyRequest): AbortSignal {
  if (authorizationEnded === null) throw new Error('a route without authentication asked for its end');
  return authorizationEnded();
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by authentication on every route that is not public, except on routes about sessions. */
    authorizationEnded: (() => AbortSignal) | null;
  }
}
