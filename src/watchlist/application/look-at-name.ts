import { Injectable } from '@nestjs/common';
import { Config } from '../../config.js';
import { CheckDomain, LOOK_DEADLINE } from '../../domains/index.js';
import { DomainName } from '../../domains/language.js';
import { type Lease, Leases } from '../domain/leases.js';
import { ObserveDomain } from './observe-domain.js';

/** A look ends this long before its lease does, so that its outcome can still be written. */
const LEASE_MARGIN = 1_000;

/** One look at a due name: the question outside of any transaction, then its outcome for all who watch. */
@Injectable()
export class LookAtName {
  private readonly deadline: number;

  constructor(
    private readonly checks: CheckDomain,
    private readonly observe: ObserveDomain,
    private readonly leases: Leases,
    config: Config,
  ) {
    this.deadline = Math.min(LOOK_DEADLINE, config.leaseSeconds * 1_000 - LEASE_MARGIN);
  }

  async run(lease: Lease): Promise<void> {
    // In a long queue a lease may run out before its turn: a look for it would only keep the rest waiting.
    if (!(await this.leases.renew(lease))) return;
    const name = DomainName.restore(lease.name);
    const look = await this.checks.look(name, this.deadline);
    await this.observe.recordLeased(name, look, lease);
  }
}
