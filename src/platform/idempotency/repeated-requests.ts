import { Injectable } from '@nestjs/common';
import { DomainError } from '../../kernel/domain-error.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import type { IdempotentRequest } from './idempotent-request.js';
import { KeptReplies } from './kept-replies.js';
import type { Kept, KeptReply } from './kept-reply.js';

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
   * claimed before, and the reply is kept after it.
   * @throws IdempotencyInFlight, IdempotencyMismatch
   */
  async apart(request: IdempotentRequest, answer: () => Promise<KeptReply | null>): Promise<Outcome | null> {
    const begun = await this.work.run(async () => (await this.known(request)) ?? this.claimed(request));
    if (typeof begun !== 'string') return begun;
    let kept: Kept | null = null;
    try {
      const reply = await answer();
      kept = reply && { fingerprint: request.fingerprint, reply };
      return reply && { reply, isRepeated: false };
    } finally {
      await this.work.run(() => this.kept.settle(request, begun, kept));
    }
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
