import { Injectable } from '@nestjs/common';
import { WatchConfig } from '../../../config/sections.js';
import { TimeUnits } from '../../../kernel/time-units.js';
import type { WatchEntry } from '../../domain/entry/watch-entry.js';
import { ChangeWindowRepository } from '../../domain/policies/change-window-repository.js';
import { countChange, type MassChange, massChangeKey } from '../../domain/policies/mass-change.js';
import type { SavedRecordChange } from '../ports/registration-record-repository.js';

export interface WatchedChange {
  readonly entry: WatchEntry;
  readonly change: SavedRecordChange;
}

/** The brake on changes of records: finds those that many names of an account have at once. */
@Injectable()
export class CountMassChanges {
  private readonly changesPerHour: number;

  constructor(
    private readonly windows: ChangeWindowRepository,
    { watch }: WatchConfig,
    private readonly units: TimeUnits,
  ) {
    this.changesPerHour = watch.brakeRecordChangesPerHour;
  }

  /**
   * Inside a unit of work; two statements for all changes of a name.
   * @returns the mass that each of them belongs to, in the same order; null: it is sent by itself
   */
  async run(operator: string, changes: readonly WatchedChange[], now: Date): Promise<(MassChange | null)[]> {
    if (changes.length === 0) return [];
    const ids = changes.map(({ entry, change }) => ({
      accountId: entry.accountId,
      key: massChangeKey(operator, change, entry),
    }));
    const found = await this.windows.findForUpdate(ids, now);
    const stored = new Map(found.map((window) => [`${window.accountId} ${window.key}`, window]));
    const counted = ids.map((id) => {
      const former = stored.get(`${id.accountId} ${id.key}`) ?? { startedAt: now, changes: 0, isMass: false };
      const { window, mass } = countChange(former, now, this.changesPerHour, this.units);
      return { stored: { ...id, ...window }, mass };
    });
    await this.windows.save(counted.map((one) => one.stored));
    return counted.map(({ mass }) => mass);
  }
}
