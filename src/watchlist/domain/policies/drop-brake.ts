import { after, DAY, HOUR, MINUTE } from '../../../kernel/clock.js';

/** Drops of one operator's names that no deletion announced, by number. */
export interface RecentDrops {
  readonly lastHour: number;
  /** Of the hours of the last seven days, the last one left out. */
  readonly busiestHour: number;
}

/** Whether the sudden drops of one TLD are believed. */
export interface DropBrakeState {
  readonly operator: string;
  readonly tld: string;
  /** Since when they are held back; null while they are believed. */
  readonly heldSince: Date | null;
  /** When its canaries last proved that its registry tells the truth. */
  readonly clearedAt: Date | null;
}

export interface DropBrakeSettings {
  /** So many drops in an hour are always believed. */
  readonly dropsPerHour: number;
  readonly timeScale: number;
}

/** More than so many times the busiest hour is no busy hour but a broken registry, most likely. */
const BUSIEST_HOUR_FACTOR = 3;
/** A registry that was found to tell the truth is believed for so long. */
const CLEARANCE_MS = HOUR;
const CANARY_SPACING_MS = 10 * MINUTE;
const DROP_HISTORY_MS = 7 * DAY;

/**
 * Holds sudden drops back when an operator has too many in an hour, until its registry has proven that it still tells
 * what is there from what is not: twice, ten minutes apart.
 */
export class DropBrake {
  constructor(
    readonly state: DropBrakeState,
    private readonly drops: RecentDrops,
    private readonly settings: DropBrakeSettings,
  ) {}

  /** Whether one more sudden drop has to wait for the canaries. */
  shouldHold(now: Date): boolean {
    if (this.state.heldSince) return true;
    if (this.isCleared(now)) return false;
    return this.drops.lastHour >= Math.max(this.settings.dropsPerHour, BUSIEST_HOUR_FACTOR * this.drops.busiestHour);
  }

  /** A drop that waits is looked at again so soon; milliseconds. */
  get recheckDelayMs(): number {
    return (5 * MINUTE) / this.settings.timeScale;
  }

  private isCleared(now: Date): boolean {
    const { clearedAt } = this.state;
    return clearedAt !== null && now < after(clearedAt, CLEARANCE_MS / this.settings.timeScale);
  }
}

/** The spans that the rules of the brake go by; milliseconds. */
export function dropBrakeTimings({ timeScale }: DropBrakeSettings) {
  return {
    hourMs: HOUR / timeScale,
    dropHistoryMs: DROP_HISTORY_MS / timeScale,
    canarySpacingMs: CANARY_SPACING_MS / timeScale,
  };
}
