import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '../../kernel/clock.js';
import { ApiKeys, isAlive, opens, type StoredKey, useIsWorthNoting } from '../domain/api-key.js';
import { AccountSuspended, InvalidToken } from '../domain/auth.errors.js';
import { bearerCredential } from '../domain/bearer-credential.js';
import { digestOf, explainMalformedKey, readKey } from '../domain/api-key-format.js';
import type { Plan } from '../domain/plan.js';
import type { Scope } from '../domain/scope.js';
import { KeyLookup } from './key-lookup.js';
import { Plans } from './plans.js';

/** Who is calling, and what the key may do. */
export interface Caller {
  readonly account: { readonly id: string; readonly plan: Plan };
  readonly keyId: string;
  readonly scopes: readonly Scope[];
}

/** A revocation reaches every process within a second; so a key may be believed for less than that. */
const BELIEVED_FOR = 900;
const KEYS_HELD = 10_000;

@Injectable()
export class Authenticate {
  private readonly log = new Logger(Authenticate.name);
  private readonly believed = new LRUCache<string, StoredKey>({
    ...{ max: KEYS_HELD, ttl: BELIEVED_FOR },
    perf: { now: () => performance.now() }, // the clock of requestedAt
  });

  private readonly lookup: KeyLookup;

  constructor(
    private readonly keys: ApiKeys,
    private readonly plans: Plans,
    private readonly clock: Clock,
  ) {
    this.lookup = new KeyLookup(keys);
  }

  /**
   * @param authorization the header's value
   * @param isSuspect whether its address is locked out: an unknown key is then looked up with less hurry
   * @throws AuthenticationRequired without a Bearer credential, InvalidToken with one that opens nothing,
   * AccountSuspended
   */
  async caller(authorization: string | undefined, isSuspect = false): Promise<Caller> {
    const credential = bearerCredential(authorization);
    const digest = digestOf(credential);
    const now = this.clock.now();
    const askedAt = performance.now();
    const believed = this.believed.get(digest);
    const stored = believed ?? (await this.opened(credential, now, isSuspect));
    if (!isAlive(stored, now)) throw new InvalidToken();
    if (!believed) this.believe(digest, stored, { askedAt, now });
    if (stored.isSuspended) throw new AccountSuspended();
    return {
      account: { id: stored.accountId, plan: this.plans.ofAccount(stored.plan) },
      keyId: stored.id,
      scopes: stored.scopes,
    };
  }

  private async opened(credential: string, now: Date, isSuspect: boolean): Promise<StoredKey> {
    const presented = readKey(credential);
    if (!presented) throw new InvalidToken(explainMalformedKey(credential)); // and no query was made
    const stored = await this.lookup.find(presented, isSuspect);
    const isValid = opens(stored, presented, now);
    this.lookup.notePresented(presented, isValid);
    if (!isValid) throw new InvalidToken();
    return stored;
  }

  /** From when it was asked for: what came late may have been revoked meanwhile. */
  private believe(digest: string, stored: StoredKey, { askedAt, now }: { askedAt: number; now: Date }): void {
    const noting = useIsWorthNoting(stored, now);
    this.believed.set(digest, stored, { start: askedAt });
    if (noting) void this.noteUse(stored.id, now);
  }

  /** No request waits for this, nor fails with it. */
  private async noteUse(id: string, at: Date): Promise<void> {
    try {
      await this.keys.noteUse(id, at);
    } catch (error) {
      this.log.warn(`the use of ${id} could not be noted: ${(error as Error).message}`);
    }
  }
}
