import { Injectable } from '@nestjs/common';
import { after, Clock, MINUTE } from '../../kernel/clock.js';
import type { AbsenceDoubt } from '../domain/lookup/lookup-result.js';
import type { DomainName } from '../domain/name/domain-name.js';
import { CanaryResultRepository } from './canary-result-repository.js';
import { LookupCoordinator } from '../lookup-cache/lookup-coordinator.js';
import { OperatorQuotaService } from '../sources/operator-quota-service.js';

/** What the watchlist knows of registries and names. */
export interface WatchQueries {
  /** Drops are counted, and held when there are too many: over all TLDs of the operator. */
  readonly areDropsHeld: (registry: { readonly operator: string; readonly tld: string }) => Promise<boolean>;
  /** Whether the absence of a watched name waits for the parent zone to stop delegating it. */
  readonly isVetoed: (name: DomainName) => Promise<boolean>;
}

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
  private watch: WatchQueries = { areDropsHeld: () => Promise.resolve(false), isVetoed: () => Promise.resolve(false) };

  constructor(
    private readonly canaries: CanaryResultRepository,
    private readonly quotas: OperatorQuotaService,
    private readonly coordinator: LookupCoordinator,
    private readonly clock: Clock,
  ) {}

  setWatchQueries(watch: WatchQueries): void {
    this.watch = watch;
  }

  /** Whether the parent zone delegated the name when it was last heard, by any check or watch. */
  async wasDelegated(name: DomainName): Promise<boolean> {
    const vetoes = await Promise.all([this.coordinator.wasDelegated(name), this.watch.isVetoed(name)]);
    return vetoes.includes(true);
  }

  /** Reads what holds now: an earlier answer may be from before the doubt. Null when the registry is believed. */
  async findDoubt(name: DomainName): Promise<AbsenceDoubt | null> {
    const [areHeld, canary] = await Promise.all([
      this.loadServer(name).then(() =>
        this.watch.areDropsHeld({ operator: this.quotas.operatorOf(name), tld: name.tld }),
      ),
      this.canaries.findLast(name.tld),
    ]);
    if (areHeld) return 'drops_held';
    return canary && !canary.hasPassed ? 'canary_failed' : null;
  }

  /** An answer of another process may come before this one has learned which server, so which operator, it is of. */
  private loadServer({ tld }: DomainName): Promise<void> {
    const now = this.clock.now();
    const last = this.loads.get(tld);
    if (last && now < after(last.startedAt, SERVERS_KNOWN_FOR_MS)) return last.done;
    const done = this.quotas.refreshServers(new Set([tld])).catch((error: unknown) => {
      this.loads.delete(tld); // or each check would fail for as long as one that succeeded is believed
      throw error;
    });
    this.loads.set(tld, { startedAt: now, done });
    return done;
  }
}
