import { Injectable } from '@nestjs/common';
import { WatchConfig } from '../../config/sections.js';
import type { DomainName, RecordChange } from '../../domains/language.js';
import { TimeUnits } from '../../kernel/time-units.js';
import type { WatchEntry } from '../domain/watch-entry.js';
import type { MassChangeData } from '../domain/watch-events.js';
import { ChangeWindow } from '../domain/change-window.js';
import { ChangeWindowRepository } from './change-windows.repository.js';

export interface WatchedChange {
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
   * Inside a unit of work; the same few statements for all changes of a name.
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
    const added = await this.hold(holding, name);
    return windows.map((window) =>
      holding.has(window) ? window.countHeld(added.has(window.id)) : window.countSent(name.ascii, namesPerHour),
    );
  }

  private async hold(holding: ReadonlySet<ChangeWindow>, name: DomainName): Promise<ReadonlySet<string>> {
    if (holding.size === 0) return new Set();
    return this.windows.hold(
      [...holding].map(({ id }) => id),
      name.ascii,
    );
  }
}
