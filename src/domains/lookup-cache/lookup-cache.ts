import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { LookupResult, Observation } from '../domain/lookup/lookup-result.js';
import type { DomainName } from '../domain/name/domain-name.js';
import { CLOCK_SKEW_MS, MAX_LOOKUP_MS } from './lookup-coordinator.js';
import { WatchlistLink } from '../watchlist-link.js';
import type { FreshnessCriteria } from './freshness-policy.js';

/** An observation takes two kilobytes, most of it evidence. */
const DEFAULT_CAPACITY = 20_000;
/** Suffices for processes without an API. */
export const SMALL_CAPACITY = 1_000;

/** An observation that a check caused is cached for its account only, with account isolation. */
const ALL_ACCOUNTS = '';
type ObservationsByAccount = ReadonlyMap<string, Observation>;

/** The latest observation of each name that this process made. The reader decides how fresh it must be. */
@Injectable()
export class LookupCache {
  private readonly names: LRUCache<string, ObservationsByAccount>;
  private stored = { oldestMs: Infinity, ignoredUntilMs: -Infinity };

  constructor(capacity = DEFAULT_CAPACITY) {
    this.names = new LRUCache({ maxSize: capacity, sizeCalculation: ({ size }: ObservationsByAccount) => size });
  }

  get isEmpty(): boolean {
    return this.names.size === 0;
  }

  get(name: DomainName, accountId: string = ALL_ACCOUNTS): Observation | null {
    return this.names.get(name.ascii)?.get(accountId) ?? null;
  }

  /** Stores an observation; an absence in doubt puts all earlier ones in doubt. */
  update(name: DomainName, result: LookupResult, accountId: string = ALL_ACCOUNTS): void {
    if (result.kind === 'failure') {
      if (result.doubt) this.names.delete(name.ascii);
    } else this.store(name, result, accountId);
  }

  /** Names of a TLD that were registered at their latest lookup, the most recent first. */
  findRegistered(tld: string, count: number): string[] {
    const found = [...this.names].filter(([domain, observations]) => {
      return domain.endsWith(`.${tld}`) && [...observations.values()].some(({ facts }) => facts.outcome === 'found');
    });
    return found.slice(0, count).map(([domain]) => domain);
  }

  /** Another process observed a change at that time: evicts every observation that may be older. */
  evictOlder(ascii: string, observedAtMs: number): void {
    const known = this.names.peek(ascii);
    if (!known) return;
    const isOlder = ({ observedAt }: Observation) => {
      const newerByMs = observedAt.getTime() - observedAtMs;
      return newerByMs !== 0 && newerByMs <= CLOCK_SKEW_MS;
    };
    const kept = [...known].filter(([, observation]) => !isOlder(observation));
    if (kept.length === 0) this.names.delete(ascii);
    else if (kept.length < known.size) this.names.set(ascii, new Map(kept));
  }

  /**
   * @param ignoredUntilMs for the next call, in ms since 1970 as the result: earlier observations
   * @returns when the oldest observation was made that was stored since the last call; Infinity without any
   */
  takeOldestStored(ignoredUntilMs: number): number {
    const { oldestMs } = this.stored;
    this.stored = { oldestMs: Infinity, ignoredUntilMs };
    return oldestMs;
  }

  clear(): void {
    this.names.clear();
  }

  /**
   * Keeps the one of two overlapping lookups that was sent later. One that is later by more than any lookup takes is from
   * before the clock was put back.
   */
  private store(name: DomainName, observation: Observation, accountId: string): void {
    const known = this.names.get(name.ascii);
    const latest = known?.get(accountId);
    const laterByMs = latest ? latest.observedAt.getTime() - observation.observedAt.getTime() : 0;
    if (laterByMs > 0 && laterByMs <= MAX_LOOKUP_MS) return;
    this.names.set(name.ascii, new Map(known).set(accountId, observation));
    const observedAtMs = observation.observedAt.getTime();
    if (observedAtMs > this.stored.ignoredUntilMs) this.stored.oldestMs = Math.min(this.stored.oldestMs, observedAtMs);
  }
}

/**
 * The cache as one account may see it with ACCOUNT_ISOLATION: only lookups that its own checks or entries caused. The
 * registry may have answered another account a moment before, but no time before the account's own request is shown.
 */
@Injectable()
export class AccountLookupCache {
  constructor(
    private readonly cache: LookupCache,
    private readonly link: WatchlistLink,
  ) {}

  async find(
    accountId: string,
    name: DomainName,
    { isFresh }: Pick<FreshnessCriteria, 'isFresh'>,
  ): Promise<Observation | null> {
    const [own, watched] = [this.cache.get(name, accountId), this.cache.get(name)];
    const isWatchedNewer = watched && isFresh(watched) && (!own || own.observedAt < watched.observedAt);
    if (isWatchedNewer && (await this.link.watchlist.isWatching(accountId, name, watched.observedAt))) return watched;
    return own && isFresh(own) ? own : null;
  }
}

/** The result with no time before the request. */
export function hideEarlierTimes<Result extends LookupResult>(result: Result, requestedAt: Date): Result {
  const clamp = (at: Date) => (at < requestedAt ? requestedAt : at);
  const evidence = result.evidence.map((one) => ({ ...one, observedAt: clamp(one.observedAt) }));
  return { ...result, observedAt: clamp(result.observedAt), evidence };
}
