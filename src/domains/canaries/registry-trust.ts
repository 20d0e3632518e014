import { Injectable } from '@nestjs/common';
import { after, Clock, MINUTE } from '../../kernel/clock.js';
import type { AbsenceDoubt } from '../domain/lookup/lookup-result.js';
import type { DomainName } from '../domain/name/domain-name.js';
import { CanaryResultRepository } from './canary-results.repository.js';
import { LookupCoordinator } from '../lookup-cache/lookup-coordinator.js';
import { OperatorRateLimits } from '../sources/operator-rate-limits.js';
import { WatchlistLink } from '../watchlist-link.js';

/** How long the servers that other processes discovered are not read again. */
const SERVERS_KNOWN_FOR_MS = 5 * MINUTE;

interface ServerLoad {
  readonly startedAt: Date;
  readonly done: Promise<void>;
}

/** Whether a registry is believed when it has no record of a name. */
@Injectable()
export class RegistryTrust {
  private readonly loads = new Map<string, ServerLoad>();

  constructor(
    private readonly canaries: CanaryResultRepository,
    private readonly rateLimits: OperatorRateLimits,
    private readonly coordinator: LookupCoordinator,
    private readonly link: WatchlistLink,
    private readonly clock: Clock,
  ) {}

  /** Whether the parent zone delegated the name when it was last heard, by any check or watch. */
  async wasDelegated(name: DomainName): Promise<boolean> {
    const vetoes = await Promise.all([this.coordinator.wasDelegated(name), this.link.watchlist.isVetoed(name)]);
    return vetoes.includes(true);
  }

  /** Reads what holds now: an earlier answer may be from before the doubt. Null when the registry is believed. */
  async findDoubt(name: DomainName): Promise<AbsenceDoubt | null> {
    const [areHeld, canary] = await Promise.all([
      this.loadServer(name).then(() =>
        this.link.watchlist.areDropsHeld({ operator: this.rateLimits.operatorOf(name), tld: name.registry }),
      ),
      this.canaries.findLast(name.registry),
    ]);
    if (areHeld) return 'drops_held';
    return canary && !canary.hasPassed ? 'canary_failed' : null;
  }

  /** An answer of another process may come before this one has learned which server, so which operator, it is of. */
  private loadServer({ registry: tld }: DomainName): Promise<void> {
    const now = this.clock.now();
    const last = this.loads.get(tld);
    if (last && now < after(last.startedAt, SERVERS_KNOWN_FOR_MS)) return last.done;
    const done = this.rateLimits.refreshServers(new Set([tld])).catch((error: unknown) => {
      this.loads.delete(tld); // or each check would fail for as long as one that succeeded is believed
      throw error;
    });
    this.loads.set(tld, { startedAt: now, done });
    return done;
  }
}
