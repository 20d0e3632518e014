import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { LookupResult, Observation } from '../domain/lookup/lookup-result.js';
import type { DomainName } from '../domain/name/domain-name.js';
import { CLOCK_SKEW_MS, MAX_LOOKUP_MS } from './lookup-coordinator.js';
import { WatchlistLink } from '../watchlist-link.js';
import { FreshnessConfig } from '../../config/sections.js';
import { after, Clock, SECOND } from '../../kernel/clock.js';
import { TimeUnits } from '../../kernel/time-units.js';
import { deriveLifecycle } from '../domain/lifecycle/lifecycle.js';
import { needsSecondWitness } from '../domain/lookup/availability.js';

/** Which observations answer a check. */
export interface FreshnessCriteria {
  /** The earliest acceptable time of the registry's answer. */
  readonly notBefore: Date;
  /** Only observations made after the request are accepted. */
  readonly mustBeLive: boolean;
  readonly isFresh: (observation: Observation) => boolean;
}

/**
 * How long an observation answers checks, by its lifecycle phase at the time of the check. That of a watch may lack the
 * witness that a check needs.
 */
@Injectable()
export class FreshnessPolicy {
  constructor(
    private readonly config: FreshnessConfig,
    private readonly clock: Clock,
    private readonly units: TimeUnits,
  ) {}

  criteria(maxAgeSeconds: number, requestedAt: Date): FreshnessCriteria {
    return {
      notBefore: maxAgeSeconds === Infinity ? new Date(0) : after(requestedAt, -maxAgeSeconds * SECOND),
      mustBeLive: maxAgeSeconds === 0,
      isFresh: (observation) => this.isFresh(observation, maxAgeSeconds, requestedAt),
    };
  }

  isFresh(observation: Observation, maxAgeSeconds: number, requestedAt: Date): boolean {
    if (needsSecondWitness(observation)) return false;
    const maxAgeMs = Math.min(this.freshForMs(observation), maxAgeSeconds * SECOND);
    const observedAtMs = observation.observedAt.getTime();
    // one from the future was made before the clock was put back: nobody knows how old it is
    if (observedAtMs > this.clock.now().getTime() + CLOCK_SKEW_MS) return false;
    return maxAgeMs > 0 && requestedAt.getTime() - observedAtMs <= maxAgeMs;
  }

  freshUntil(result: LookupResult): Date {
    return after(result.observedAt, result.kind === 'observation' ? this.freshForMs(result) : 0);
  }

  /** A simulated registry that changes every few seconds says so. */
  private freshForMs({ facts, recheckWithinMs }: Observation): number {
    const { freshness, expiringWindowDays } = this.config;
    const { phase } = deriveLifecycle(facts, expiringWindowDays, this.clock.now());
    return Math.min((freshness[phase] ?? 0) * this.units.second, recheckWithinMs ?? Infinity);
  }
}

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
