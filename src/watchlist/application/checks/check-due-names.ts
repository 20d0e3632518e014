import { Injectable } from '@nestjs/common';
import { LeaseConfig } from '../../../config/sections.js';
import { LOOKUP_TIMEOUT_MS, RefreshDomain } from '../../../domains/index.js';
import { Clock, SECOND } from '../../../kernel/clock.js';
import { type LeaseBatch, type LeasedName, LeaseRepository } from '../ports/lease-repository.js';
import { URGENCIES } from '../../domain/watched-name/urgency.js';
import { BackgroundThrottle } from './background-throttle.js';
import { ResultBatcher } from './result-batcher.js';
import { LeasedBatch } from './leased-batch.js';
import { WorkerProgress } from './worker-progress.js';
import { type CheckedName, RecordCheckResults } from './record-check-results.js';

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
export class CheckDueNames {
  private readonly deadline: number;
  private readonly patience: number;
  /** Milliseconds after a renewal within which a look may begin. */
  private readonly slack: number;

  constructor(
    private readonly refresh: RefreshDomain,
    private readonly record: RecordCheckResults,
    private readonly leases: LeaseRepository,
    private readonly progress: WorkerProgress,
    private readonly clock: Clock,
    private readonly pace: BackgroundThrottle,
    config: LeaseConfig,
  ) {
    const time = config.leaseSeconds * SECOND - LEASE_MARGIN;
    this.patience = Math.min(PATIENCE, time / 6);
    // Of a short lease a third is left for looks to begin in, or each would need a renewal of its own.
    this.deadline = Math.min(LOOKUP_TIMEOUT_MS, time / 2);
    this.slack = time - this.deadline - this.patience;
  }

  /** Harmless to repeat: the first run ends the leases. */
  async run(batch: LeaseBatch): Promise<void> {
    this.progress.begins(batch);
    try {
      await this.lookAtAll(batch);
      this.progress.ends(batch);
    } catch (error) {
      this.progress.fails(batch);
      throw error;
    }
  }

  private async lookAtAll(batch: LeaseBatch): Promise<void> {
    const names = await this.leases.hold(batch, this.clock.now());
    const held = new LeasedBatch(batch, this.leases, this.slack);
    const outcomes = new ResultBatcher<CheckedName>(GROUPS, async (looks) => {
      await this.record.run(looks, batch.token);
      this.progress.made();
    });
    const waiting = names.values();
    const worker = async () => {
      for (const name of waiting) {
        if (name.watched.urgency !== URGENCIES.dropping) await this.pace.turn();
        if (await held.isHeld(name.watched.domain)) outcomes.add(await this.lookAt(name));
      }
    };
    const work = await Promise.allSettled(Array.from({ length: Math.min(AT_A_TIME, names.length) }, worker));
    await outcomes.end();
    for (const one of work) if (one.status === 'rejected') throw one.reason;
  }

  private async lookAt(held: LeasedName): Promise<CheckedName> {
    const lane = held.watched.urgency === URGENCIES.dropping ? 'drop_window' : 'routine';
    const { name, facts, pending } = held.watched;
    const known = pending ? null : facts; // what is in doubt has to be heard of everywhere
    const look = await this.refresh.run(name, this.deadline, { priority: lane, maxWaitMs: this.patience }, known);
    return { held, look };
  }
}
