import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { DomainName } from '../../domain/name/domain-name.js';
import type { Observation } from '../../domain/lookup/lookup-result.js';
import { CLOCK_SKEW_MS } from '../ports/lookup-coordinator.js';

/** A proof takes two kilobytes, most of it evidence. */
const DEFAULT_CAPACITY = 20_000;
/** For a process that is asked by nobody. */
export const SMALL_CAPACITY = 1_000;

/** Where accounts are isolated, a proof that one of them asked for is kept for that account; all others for all. */
const ALL_ACCOUNTS = '';
type ObservationsByAccount = ReadonlyMap<string, Observation>;

/** The last proof of each name that this process saw. How fresh it must be is the reader's to judge. */
@Injectable()
export class LookupCache {
  private readonly names: LRUCache<string, ObservationsByAccount>;

  constructor(observations = DEFAULT_CAPACITY) {
    this.names = new LRUCache({ maxSize: observations, sizeCalculation: ({ size }: ObservationsByAccount) => size });
  }

  get isEmpty(): boolean {
    return this.names.size === 0;
  }

  get(name: DomainName, accountId: string = ALL_ACCOUNTS): Observation | null {
    return this.names.get(name.ascii)?.get(accountId) ?? null;
  }

  /** Of two looks that overlapped, the one that asked later counts. */
  store(name: DomainName, observation: Observation, accountId: string = ALL_ACCOUNTS): void {
    const known = this.get(name, accountId);
    if (known && known.observedAt > observation.observedAt) return;
    this.names.set(name.ascii, new Map(this.names.get(name.ascii)).set(accountId, observation));
  }

  /** What was proven is in doubt now: nobody shall be told it from memory. */
  evict(name: DomainName): void {
    this.names.delete(name.ascii);
  }

  /** Names of a TLD that were registered when they were last looked at; those looked at last come first. */
  findRegistered(tld: string, count: number): string[] {
    const found = [...this.names].filter(([domain, observations]) => {
      return domain.endsWith(`.${tld}`) && [...observations.values()].some(({ facts }) => facts.outcome === 'found');
    });
    return found.slice(0, count).map(([domain]) => domain);
  }

  /** Somebody learned something else at that time: any other proof that may be older will not do any more. */
  evictOlder(ascii: string, observedAt: Date): void {
    const known = this.names.get(ascii);
    if (!known) return;
    const left = [...known].filter(([, observation]) => {
      const newerByMs = observation.observedAt.getTime() - observedAt.getTime();
      return newerByMs === 0 || newerByMs > CLOCK_SKEW_MS;
    });
    if (left.length === 0) this.names.delete(ascii);
    else if (left.length < known.size) this.names.set(ascii, new Map(left));
  }

  clear(): void {
    this.names.clear();
  }
}
