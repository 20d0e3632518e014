import { Injectable } from '@nestjs/common';
import type { DomainName } from '../../domain/name/domain-name.js';
import type { LookupResult, Observation } from '../../domain/lookup/lookup-result.js';
import { LookupCache } from './lookup-cache.js';

/** Whether an account has watched a name since then. */
export type HasWatchedSince = (accountId: string, name: DomainName, since: Date) => Promise<boolean>;

/**
 * The looks that an account caused, by its checks or by its entries: with ACCOUNT_ISOLATION it is answered from no
 * others. The registry may have been asked for somebody else a moment before; no time before the account's own request
 * is ever shown.
 */
@Injectable()
export class AccountLookupCache {
  private hasWatchedSince: HasWatchedSince = () => Promise.resolve(false);

  constructor(private readonly cache: LookupCache) {}

  /** The watchlist knows who watches what. */
  setWatchQuery(hasWatchedSince: HasWatchedSince): void {
    this.hasWatchedSince = hasWatchedSince;
  }

  /** The latest proof that will do. */
  async findFresh(
    accountId: string,
    name: DomainName,
    isFresh: (observation: Observation) => boolean,
  ): Promise<Observation | null> {
    const [own, watched] = [this.cache.get(name, accountId), this.cache.get(name)];
    const isWatchedNewer = watched && isFresh(watched) && (!own || own.observedAt < watched.observedAt);
    if (isWatchedNewer && (await this.hasWatchedSince(accountId, name, watched.observedAt))) return watched;
    return own && isFresh(own) ? own : null;
  }

  store(accountId: string, name: DomainName, result: LookupResult): void {
    if (result.kind === 'observation' && result.source !== 'sandbox') this.cache.store(name, result, accountId);
    else if (result.kind === 'failure' && result.dnsVetoed) this.cache.evict(name);
  }
}

/** The look as one who asked at that time may see it. */
export function hideEarlierTimes<Result extends LookupResult>(result: Result, requestedAt: Date): Result {
  const clamp = (at: Date) => (at < requestedAt ? requestedAt : at);
  const evidence = result.evidence.map((one) => ({ ...one, observedAt: clamp(one.observedAt) }));
  return { ...result, observedAt: clamp(result.observedAt), evidence };
}
