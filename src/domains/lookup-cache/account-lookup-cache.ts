import { Injectable } from '@nestjs/common';
import type { LookupResult, Observation } from '../domain/lookup/lookup-result.js';
import type { DomainName } from '../domain/name/domain-name.js';
import { LookupCache } from './lookup-cache.js';

export type HasWatchedSince = (accountId: string, name: DomainName, since: Date) => Promise<boolean>;

/**
 * The cache as one account may see it with ACCOUNT_ISOLATION: only lookups that its own checks or entries caused. The
 * registry may have answered another account a moment before, but no time before the account's own request is shown.
 */
@Injectable()
export class AccountLookupCache {
  private hasWatchedSince: HasWatchedSince = () => Promise.resolve(false);

  constructor(private readonly cache: LookupCache) {}

  /** The watchlist knows which account watches which name. */
  setWatchQuery(hasWatchedSince: HasWatchedSince): void {
    this.hasWatchedSince = hasWatchedSince;
  }

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
}

/** The result with no time before the request. */
export function hideEarlierTimes<Result extends LookupResult>(result: Result, requestedAt: Date): Result {
  const clamp = (at: Date) => (at < requestedAt ? requestedAt : at);
  const evidence = result.evidence.map((one) => ({ ...one, observedAt: clamp(one.observedAt) }));
  return { ...result, observedAt: clamp(result.observedAt), evidence };
}
