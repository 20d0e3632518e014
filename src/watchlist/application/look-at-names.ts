import { Injectable } from '@nestjs/common';
import { Config } from '../../config.js';
import { CheckDomain, LOOK_DEADLINE } from '../../domains/index.js';
import { Clock, SECOND } from '../../kernel/clock.js';
import { type Batch, type HeldName, Leases } from '../domain/leases.js';
import { URGENCIES } from '../domain/watched-name.js';
import { Gathered } from './gathered.js';
import { HeldBatch } from './held-batch.js';
import { type LookedAt, RecordLooks } from './record-looks.js';
import { Watchdog } from './watchdog.js';

/** A look ends this long before its lease does, so that its outcome can still be written. */
const LEASE_MARGIN = SECOND;
/** Only as many were claimed as the budget grants: a look waits for its turn, not for its budget. */
const PATIENCE = 2 * SECOND;
/** Looks of one batch that are under way at a time; how many an operator bears is for its budget to say. */
const AT_A_TIME = 64;
/** Looks are written down this many at a time, or after so long: the slowest must not keep the others waiting. */
const GROUPS = { size: 100, wait: 200 };

/** Looks at due names: the questions outside of any transaction, then their outcomes for all who watch. */
@Injectable()
export class LookAtNames {
  private readonly deadline: number;
  private readonly patience: number;
  private readonly leaseTime: number;

  constructor(
    private readonly checks: CheckDomain,
    private readonly record: RecordLooks,
    private readonly leases: Leases,
    private readonly watchdog: Watchdog,
    private readonly clock: Clock,
    config: Config,
  ) {
    this.leaseTime = config.leaseSeconds * SECOND;
    this.patience = Math.min(PATIENCE, (this.leaseTime - LEASE_MARGIN) / 3);
    this.deadline = Math.min(LOOK_DEADLINE, this.leaseTime - LEASE_MARGIN - this.patience);
  }

  /** Harmless to repeat: the first run ends the leases. */
  async run(batch: Batch): Promise<void> {
    const names = await this.leases.hold(batch, this.clock.now());
    const held = new HeldBatch(batch, this.leases, this.leaseTime - LEASE_MARGIN - this.deadline - this.patience);
    const outcomes = new Gathered<LookedAt>(GROUPS, (looks) => this.record.run(looks, batch.token));
    const waiting = names.values();
    const worker = async () => {
      for (const name of waiting) if (await held.isHeld(name.watched.domain)) outcomes.add(await this.lookAt(name));
    };
    const work = await Promise.allSettled(Array.from({ length: Math.min(AT_A_TIME, names.length) }, worker));
    await outcomes.end();
    this.watchdog.completed();
    for (const one of work) if (one.status === 'rejected') throw one.reason;
  }

  private async lookAt(held: HeldName): Promise<LookedAt> {
    const lane = held.watched.urgency === URGENCIES.dropping ? 'drop_window' : 'routine';
    const look = await this.checks.look(held.watched.name, this.deadline, { lane, patience: this.patience });
    return { held, look };
  }
}
