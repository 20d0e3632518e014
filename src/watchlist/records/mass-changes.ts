import { Injectable } from '@nestjs/common';
import { WatchConfig } from '../../config/sections.js';
import type { DomainName, RecordChange } from '../../domains/language.js';
import { TimeUnits } from '../../kernel/time-units.js';
import type { WatchEntry } from '../domain/watch-entry.js';
import type { MassChangeData } from '../domain/watch-events.js';
import { ChangeWindow, overIfStarted } from '../domain/change-window.js';
import { ChangeWindowRepository } from './change-windows.repository.js';
import { Clock } from '../../kernel/clock.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';

interface WatchedChange {
  readonly entry: WatchEntry;
  readonly change: RecordChange;
}

/** The brake on messages about records: finds changes that many names of an account have at once. */
@Injectable()
export class CountMassChanges {
  private readonly namesPerHour: number;

  constructor(
    private readonly windows: ChangeWindowRepository,
    { brakeRecordChangesPerHour }: WatchConfig,
    private readonly units: TimeUnits,
  ) {
    this.namesPerHour = brakeRecordChangesPerHour;
  }

  /**
   * Runs inside a unit of work, with the same few statements for all changes of a name.
   * @returns what the event of each of them says about others, in the same order; null: nothing
   */
  async run(
    name: DomainName,
    operator: string,
    changes: readonly WatchedChange[],
    now: Date,
  ): Promise<(MassChangeData | null)[]> {
    if (changes.length === 0) return [];
    const { namesPerHour, units } = this;
    const opened = changes.map(({ entry: { accountId, intent, tags }, change: { kind, after } }) =>
      ChangeWindow.open({ accountId, operator, kind, after, intent, tags }, now),
    );
    const found = new Map((await this.windows.findOrOpen(opened)).map((window) => [window.id, window]));
    const windows = opened.map((window) => found.get(window.id) ?? window);
    const holding = new Set(windows.filter((window) => window.holds(name.ascii, now, namesPerHour, units)));
    const ids = [...holding].map(({ id }) => id);
    const added = ids.length === 0 ? new Set<string>() : await this.windows.hold(ids, name.ascii);
    return windows.map((window) =>
      holding.has(window) ? window.countHeld(added.has(window.id)) : window.countSent(name.ascii, namesPerHour),
    );
  }
}

const BATCH_SIZE = 20;
/** Keeps an event below 20 kB with names of usual length. */
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
