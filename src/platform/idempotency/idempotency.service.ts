import { Injectable, Logger, Global, Module } from '@nestjs/common';
import { Readable } from 'node:stream';
import { DomainError } from '../../kernel/domain-error.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import {
  type IdempotentRequest,
  IdempotencyStore,
  type IdempotencyRecord,
  type StoredResponse,
} from './idempotency-store.js';
import { oldData } from '../scheduling/retention.js';

const RETRY_AFTER_SECONDS = 1;

class IdempotencyInFlight extends DomainError {
  constructor() {
    super('idempotency_in_flight', 'A request with this Idempotency-Key is in progress.', {
      retry_after_seconds: RETRY_AFTER_SECONDS,
    });
  }
}

class IdempotencyMismatch extends DomainError {
  constructor() {
    super('idempotency_mismatch', 'This Idempotency-Key was used for another request.');
  }
}

export interface Outcome {
  readonly response: StoredResponse;
  readonly isRepeated: boolean;
}

/** Executes a request once, even if the client sends it again with the same Idempotency-Key. */
@Injectable()
export class IdempotencyService {
  private readonly log = new Logger(IdempotencyService.name);

  constructor(
    private readonly store: IdempotencyStore,
    private readonly work: UnitOfWork,
  ) {}

  /**
   * Stores the response and the request's effect in one transaction, so that a crash undoes both.
   * @param respond must throw temporary failures, which must not be stored
   * @throws IdempotencyInFlight while another request with this key runs
   * @throws IdempotencyMismatch if the key was used for another request
   */
  transactional(request: IdempotentRequest, respond: () => Promise<StoredResponse>): Promise<Outcome> {
    return this.work.run(async () => {
      const replay = await this.findReplay(request);
      if (replay) return replay;
      const response = await respond();
      await this.store.store(request, { fingerprint: request.fingerprint, response });
      return { response, isRepeated: false };
    });
  }

  /**
   * For requests that call other servers or use several transactions. Such requests must be harmless to repeat, because
   * some responses are not stored.
   * @throws IdempotencyInFlight while another request with this key runs
   * @throws IdempotencyMismatch if the key was used for another request
   */
  async byClaim(
    request: IdempotentRequest,
    respond: () => Promise<StoredResponse | Readable>,
  ): Promise<Outcome | Readable> {
    const claim = await this.work.run(async () => (await this.findReplay(request)) ?? this.acquireClaim(request));
    if (typeof claim !== 'string') return claim;
    const settle = (store: IdempotencyRecord | null) =>
      this.work.run(() => this.store.completeClaim(request, claim, store));
    let response: StoredResponse | Readable | null = null;
    try {
      response = await respond();
    } finally {
      if (response instanceof Readable) this.settleWhenStreamed(response, () => settle(null));
      else await settle(response && { fingerprint: request.fingerprint, response });
    }
    return response instanceof Readable ? response : { response, isRepeated: false };
  }

  /** Ends the claim when the stream closes. If the database fails then, the claim expires after two minutes. */
  private settleWhenStreamed(lines: Readable, settle: () => Promise<void>): void {
    const failed = (error: unknown) => this.log.error({ err: error }, 'could not release an idempotency claim');
    lines.once('close', () => void settle().catch(failed));
  }

  private async findReplay(request: IdempotentRequest): Promise<Outcome | null> {
    if (!(await this.store.tryLock(request))) throw new IdempotencyInFlight();
    const store = await this.store.find(request);
    if (store && store.fingerprint !== request.fingerprint) throw new IdempotencyMismatch();
    return store && { response: store.response, isRepeated: true };
  }

  private async acquireClaim(request: IdempotentRequest): Promise<string> {
    const claim = await this.store.claim(request);
    if (claim === null) throw new IdempotencyInFlight();
    return claim;
  }
}

const oldResponses = oldData({
  name: 'responses',
  service: IdempotencyStore,
  forget: (responses) => responses.purgeExpired(),
});

@Global()
@Module({ providers: [IdempotencyStore, IdempotencyService, oldResponses], exports: [IdempotencyService] })
export class IdempotencyModule {}
