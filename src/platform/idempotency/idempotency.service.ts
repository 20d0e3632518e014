import { Injectable, Logger } from '@nestjs/common';
import { Readable } from 'node:stream';
import { DomainError } from '../../kernel/domain-error.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import type { IdempotentRequest } from './idempotent-request.js';
import { KeptReplies } from './idempotency-store.js';
import type { Kept, KeptReply } from './stored-response.js';

const SOON = 1;

export class IdempotencyInFlight extends DomainError {
  constructor() {
    super('idempotency_in_flight', 'A request with this Idempotency-Key is under way.', { retry_after_seconds: SOON });
  }
}

export class IdempotencyMismatch extends DomainError {
  constructor() {
    super('idempotency_mismatch', 'This Idempotency-Key was used for another request.');
  }
}

export interface Outcome {
  readonly reply: KeptReply;
  readonly isRepeated: boolean;
}

/** Does what is asked for once, however often it is asked for with the same key. */
@Injectable()
export class RepeatedRequests {
  private readonly log = new Logger(RepeatedRequests.name);

  constructor(
    private readonly kept: KeptReplies,
    private readonly work: UnitOfWork,
  ) {}

  /**
   * In one transaction with what the request does. It holds the key by a lock of that transaction: a crash, or a
   * failure of ours, leaves neither the effect nor the key behind.
   * @param answer throws where the request may end otherwise the next time
   * @throws IdempotencyInFlight, IdempotencyMismatch
   */
  together(request: IdempotentRequest, answer: () => Promise<KeptReply>): Promise<Outcome> {
    return this.work.run(async () => {
      const known = await this.known(request);
      if (known) return known;
      const reply = await answer();
      await this.kept.keep(request, { fingerprint: request.fingerprint, reply });
      return { reply, isRepeated: false };
    });
  }

  /**
   * For what asks others, or is written in several transactions, and does no harm when it is done twice: the key is
   * claimed before, and the reply is kept after it. What is told line by line is told again by doing it again; it is
   * under way until it is told.
   * @throws IdempotencyInFlight, IdempotencyMismatch
   */
  async apart(request: IdempotentRequest, answer: () => Promise<KeptReply | Readable>): Promise<Outcome | Readable> {
    const begun = await this.work.run(async () => (await this.known(request)) ?? this.claimed(request));
    if (typeof begun !== 'string') return begun;
    const settle = (kept: Kept | null) => this.work.run(() => this.kept.settle(request, begun, kept));
    let reply: KeptReply | Readable | null = null;
    try {
      reply = await answer();
    } finally {
      if (reply instanceof Readable) this.settleWhenTold(reply, () => settle(null));
      else await settle(reply && { fingerprint: request.fingerprint, reply });
    }
    return reply instanceof Readable ? reply : { reply, isRepeated: false };
  }

  /** Its answer is out by then: a claim that stays is over after two minutes. */
  private settleWhenTold(lines: Readable, settle: () => Promise<void>): void {
    const failed = (error: unknown) => this.log.error({ err: error }, 'a key could not be given back');
    lines.once('close', () => void settle().catch(failed));
  }

  private async known(request: IdempotentRequest): Promise<Outcome | null> {
    if (!(await this.kept.hold(request))) throw new IdempotencyInFlight();
    const kept = await this.kept.find(request);
    if (kept && kept.fingerprint !== request.fingerprint) throw new IdempotencyMismatch();
    return kept && { reply: kept.reply, isRepeated: true };
  }

  private async claimed(request: IdempotentRequest): Promise<string> {
    const claim = await this.kept.claim(request);
    if (claim === null) throw new IdempotencyInFlight();
    return claim;
  }
}
