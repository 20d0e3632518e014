import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { after, Clock, MINUTE } from '../../kernel/clock.js';
import { TimeUnits } from '../../kernel/time-units.js';
import { SecretBox } from '../crypto/secret-box.js';
import { SqlClient } from '../database/sql-client.js';
import { sql } from '../database/sql.js';
import type { Problem } from '../http/errors/problem.js';

/** A claim (a lock on an Idempotency-Key) ends after this time, in case its process has crashed. */
const CLAIM_LEASE_MS = 2 * MINUTE;
/** Larger responses are not stored by `completeClaim`, so a repeated request does the work again. */
const MAX_CLAIMED_RESPONSE_BYTES = 64 * 1_024;
const BATCH_SIZE = 1_000;

const PRUNE = {
  name: 'idempotent_responses_prune',
  text: `delete from idempotent_responses where scope = any(array(
           select scope from idempotent_responses where expires_at <= $1 limit $2)) returning scope`,
};

/** Stores the responses to requests with an Idempotency-Key. Encrypts them, because they may contain secrets. */
@Injectable()
export class IdempotencyStore {
  private readonly retentionMs: number;

  constructor(
    private readonly sqlClient: SqlClient,
    private readonly clock: Clock,
    private readonly box: SecretBox,
    { day }: TimeUnits,
  ) {
    this.retentionMs = day;
  }

  /**
   * Locks the request's key until the transaction ends. @returns false while another request with this key is running
   */
  async tryLock({ scope }: IdempotentRequest): Promise<boolean> {
    const rows = await this.sqlClient.run<{ held: boolean }>(sql`
      select pg_try_advisory_xact_lock(hashtextextended(${scope}, 0)) as held`);
    return rows[0]?.held === true;
  }

  /**
   * Returns the stored response. Call `tryLock` first in the same transaction, so that no other request stores a
   * response meanwhile.
   */
  async find({ scope, accountId }: IdempotentRequest): Promise<IdempotencyRecord | null> {
    const rows = await this.sqlClient.run<{ sealed_response: string }>(sql`
      select sealed_response from idempotent_responses
      where scope = ${scope} and account_id = ${accountId} and sealed_response is not null
        and expires_at > ${this.clock.now()}`);
    return rows[0] ? this.open(rows[0].sealed_response, scope) : null;
  }

  /** Stores a response, or replaces an expired response. Must run in the transaction of `tryLock`. */
  async store({ scope, accountId }: IdempotentRequest, record: IdempotencyRecord): Promise<void> {
    await this.sqlClient.run(sql`
      insert into idempotent_responses (scope, account_id, sealed_response, expires_at)
      values (${scope}, ${accountId}, ${this.seal(JSON.stringify(record), scope)}, ${this.expiry()})
      on conflict (scope) do update
        set sealed_response = excluded.sealed_response, expires_at = excluded.expires_at, claim_token = null`);
  }

  /**
   * Locks the key (a claim) for two minutes. Call this in a transaction that ends before the request is handled.
   * @returns null while another request has the claim
   */
  async claim({ scope, accountId }: IdempotentRequest): Promise<string | null> {
    const claim = randomUUID();
    const until = after(this.clock.now(), CLAIM_LEASE_MS);
    const rows = await this.sqlClient.run(sql`
      insert into idempotent_responses as r (scope, account_id, claim_token, claimed_until, expires_at)
      values (${scope}, ${accountId}, ${claim}, ${until}, ${this.expiry()})
      on conflict (scope) do update
        set sealed_response = null, claim_token = excluded.claim_token, claimed_until = excluded.claimed_until,
          expires_at = excluded.expires_at
        where r.expires_at <= ${this.clock.now()}
          or (r.sealed_response is null and r.claimed_until <= ${this.clock.now()})
      returning scope`);
    return rows.length > 0 ? claim : null;
  }

  /**
   * Ends the claim. Stores the response unless it is too large, or another request has taken over the claim.
   * @param record null to store no response
   */
  async completeClaim({ scope }: IdempotentRequest, claim: string, record: IdempotencyRecord | null): Promise<void> {
    const text = record && JSON.stringify(record);
    if (text === null || Buffer.byteLength(text) > MAX_CLAIMED_RESPONSE_BYTES)
      await this.sqlClient.run(sql`delete from idempotent_responses where scope = ${scope} and claim_token = ${claim}`);
    else
      await this.sqlClient.run(sql`
        update idempotent_responses set sealed_response = ${this.seal(text, scope)}, claim_token = null
        where scope = ${scope} and claim_token = ${claim}`);
  }

  /** Deletes expired responses. Several processes may run this at once. */
  async purgeExpired(): Promise<void> {
    while ((await this.sqlClient.run(PRUNE, [this.clock.now(), BATCH_SIZE])).length === BATCH_SIZE);
  }

  private seal(text: string, scope: string): string {
    return this.box.seal(text, sealedFor(scope));
  }

  private open(sealed: string, scope: string): IdempotencyRecord {
    return JSON.parse(this.box.open(sealed, sealedFor(scope))) as IdempotencyRecord;
  }

  private expiry(): Date {
    return after(this.clock.now(), this.retentionMs);
  }
}

function sealedFor(scope: string): string {
  return `idempotent response ${scope}`;
}

export type StoredResponse =
  | { readonly kind: 'answer'; readonly headers: Readonly<Record<string, string>>; readonly body: unknown }
  | { readonly kind: 'refusal'; readonly problem: Problem };

export interface IdempotencyRecord {
  readonly fingerprint: string;
  readonly response: StoredResponse;
}

/** True if a repeated request would get the same error. Server errors, timeouts and rate limits may be temporary. */
export function isFinal({ status }: Problem): boolean {
  return status < 500 && status !== 408 && status !== 429;
}

export interface IdempotentRequest {
  /** A digest of account, method, path and key. The key itself is not stored. */
  readonly scope: string;
  readonly accountId: string;
  /** A digest of query and body. A request with a known key and another digest is refused. */
  readonly fingerprint: string;
}
