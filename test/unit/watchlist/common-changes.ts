import { MINUTE } from '../../../src/kernel/clock.js';
import { TimeUnits } from '../../../src/kernel/time-units.js';
import type { MassChangeEventData } from '../../../src/watchlist/domain/watch-events.js';
import { ChangeWindow } from '../../../src/watchlist/domain/change-window.js';
import { at, monday } from './builders.js';

export interface SeenChange {
  readonly name: string;
  readonly minute: number;
}

export const COMMON_CHANGE = { kind: 'registrar', after: { name: 'Two', iana_id: null } } as const;

interface SentMessage {
  readonly names: number;
  readonly listed: readonly string[];
  readonly since: number;
  readonly minute: number;
  /** Minutes that have passed, whatever the clock shows. */
  readonly elapsed: number;
}

/** Names of an account that change to one value, with a reporter that looks once a minute. */
export class CommonChanges {
  readonly messages: SentMessage[] = [];
  private readonly held = new Set<string>();
  private window: ChangeWindow | null = null;
  private minute = 0;
  private minutesPassed = 0;

  constructor(private readonly namesPerHour: number) {}

  get elapsed(): number {
    return this.minutesPassed;
  }

  get clock(): number {
    return this.minute;
  }

  /** The reporter looks up to this time. */
  sees({ name, minute }: SeenChange): string {
    this.wait(minute - this.minute);
    const now = at(minute * MINUTE);
    this.window ??= ChangeWindow.open(
      { accountId: 'acc_1', operator: 'acme', intent: 'own', tags: [], ...COMMON_CHANGE },
      now,
    );
    if (!this.window.holds(name, now, this.namesPerHour, TimeUnits.REAL)) {
      const mass = this.window.countSent(name, this.namesPerHour);
      return mass ? `sent, ${mass.others} others` : 'sent';
    }
    const isNew = !this.held.has(name);
    this.held.add(name);
    return this.window.countHeld(isNew).held ? 'held' : 'neither';
  }

  /** The reporter looks after each step. */
  wait(minutes: number, stepMinutes = 1): void {
    for (let i = 0; i < minutes; i += stepMinutes) {
      this.minute += stepMinutes;
      this.minutesPassed += stepMinutes;
      this.report();
    }
  }

  /** The reporter looks at once. */
  putClockBack(minutes: number): void {
    this.minute -= minutes;
    this.report();
  }

  private report(): void {
    const now = at(this.minute * MINUTE);
    if (!this.window?.isDue(now, TimeUnits.REAL)) return;
    this.window.report([...this.held].sort(), now);
    this.held.clear();
    const { elapsed } = this;
    for (const { payload } of this.window.releaseEvents()) {
      const { names, domains, since, until } = payload as MassChangeEventData;
      const toMinute = (time: string) => (Date.parse(time) - monday.getTime()) / MINUTE;
      this.messages.push({ names, listed: domains, since: toMinute(since), minute: toMinute(until), elapsed });
    }
  }
}
