import { Injectable } from '@nestjs/common';
import type { AbsenceDoubt } from '../../domain/lookup/lookup-result.js';
import type { DomainName } from '../../domain/name/domain-name.js';
import { CanaryResultRepository } from '../ports/canary-result-repository.js';
import { OperatorQuotaService } from '../ports/operator-quota-service.js';

/** @param operator of a registry, over all its TLDs */
export type AreDropsHeld = (operator: string) => Promise<boolean>;

/** Whether a registry is believed at present when it has no record of a name. */
@Injectable()
export class RegistryTrust {
  private areDropsHeld: AreDropsHeld = () => Promise.resolve(false);

  constructor(
    private readonly canaries: CanaryResultRepository,
    private readonly quotas: OperatorQuotaService,
  ) {}

  /** The watchlist counts drops, and holds them when there are too many. */
  setBrakeQuery(areDropsHeld: AreDropsHeld): void {
    this.areDropsHeld = areDropsHeld;
  }

  /** Reads what holds now: an earlier answer may be from before the doubt. Null when the registry is believed. */
  async findDoubt(name: DomainName): Promise<AbsenceDoubt | null> {
    const [areHeld, canary] = await Promise.all([
      this.areDropsHeld(this.quotas.operatorOf(name)),
      this.canaries.findLast(name.tld),
    ]);
    if (areHeld) return 'drops_held';
    return canary && !canary.hasPassed ? 'canary_failed' : null;
  }
}
