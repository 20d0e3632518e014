import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { TimeUnits } from '../../kernel/time-units.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { overIfStarted } from '../domain/change-window.js';
import { ChangeWindowRepository } from './change-windows.repository.js';

const BATCH_SIZE = 20;
/** In one event, which stays below 20 kB with names of usual length. */
const MAX_LISTED_NAMES = 200;

/** Reports names whose changes were held as part of a mass, when their hour is over. */
@Injectable()
export class ReportMassChanges {
  constructor(
    private readonly windows: ChangeWindowRepository,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly units: TimeUnits,
  ) {}

  /** Safe to run in several processes: a window is reported by the one that locks it. @returns how many messages */
  async run(signal?: AbortSignal): Promise<number> {
    let total = 0;
    for (let reported = BATCH_SIZE; reported === BATCH_SIZE && !signal?.aborted; total += reported)
      reported = await this.work.run(() => this.reportBatch());
    return total;
  }

  /** Idempotent. @returns how many windows were deleted that had nothing to report */
  purge(signal?: AbortSignal): Promise<number> {
    return this.windows.purge(overIfStarted(this.clock.now(), this.units), signal);
  }

  private async reportBatch(): Promise<number> {
    const now = this.clock.now();
    const windows = await this.windows.findHoldingForUpdate(overIfStarted(now, this.units), BATCH_SIZE);
    for (const window of windows) {
      if (!window.isDue(now, this.units)) continue;
      window.report(await this.windows.releaseNames(window.id, MAX_LISTED_NAMES), now);
    }
    return windows.length;
  }
}
