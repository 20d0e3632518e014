import { Injectable } from '@nestjs/common';
import type { AbsenceDoubt } from '../../domain/lookup/lookup-result.js';
import type { DomainName } from '../../domain/name/domain-name.js';
import { CanaryResultRepository } from '../ports/canary-result-repository.js';
import { LookupCoordinator } from '../ports/lookup-coordinator.js';
import { OperatorQuotaService } from '../ports/operator-quota-service.js';

/** What the watchlist knows of registries and names. */
export interface WatchQueries {
  /** Drops are counted, and held when there are too many. @param operator of a registry, over all its TLDs */
  readonly areDropsHeld: (operator: string) => Promise<boolean>;
  /** Whether the absence of a watched name waits for the parent zone to stop delegating it. */
  readonly isVetoed: (name: DomainName) => Promise<boolean>;
}

/** Whether a registry is believed when it has no record of a name. */
@Injectable()
export class RegistryTrust {
  private watch: WatchQueries = { areDropsHeld: () => Promise.resolve(false), isVetoed: () => Promise.resolve(false) };

  constructor(
    private readonly canaries: CanaryResultRepository,
    private readonly quotas: OperatorQuotaService,
    private readonly coordinator: LookupCoordinator,
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
      this.watch.areDropsHeld(this.quotas.operatorOf(name)),
      this.canaries.findLast(name.tld),
    ]);
    if (areHeld) return 'drops_held';
    return canary && !canary.hasPassed ? 'canary_failed' : null;
  }
}
