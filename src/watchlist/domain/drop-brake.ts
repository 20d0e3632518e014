import { after } from '../../kernel/clock.js';
import type { TimeUnits } from '../../kernel/time-units.js';

/** Number of an operator's drops without a prior deletion status. */
export interface RecentDrops {
  readonly lastHour: number;
  /** The most in one of the hours of the last seven days, without the last hour. */
  readonly busiestHour: number;
}

export interface DropBrakeState {
  readonly operator: string;
  readonly tld: string;
  /** Since when drops are held; null when released. */
  readonly heldSince: Date | null;
  /** When the canaries of the TLD last passed. */
  readonly clearedAt: Date | null;
}

/** More than this many times the busiest hour suggests a broken registry. */
const BUSIEST_HOUR_FACTOR = 3;
/** After its canaries passed, drops of a registry are accepted this long. */
const CLEARANCE_HOURS = 1;
const RECHECK_MINUTES = 5;
const CANARY_SPACING_MINUTES = 10;
const DROP_HISTORY_DAYS = 7;

/**
 * Holds sudden drops when an operator has too many in an hour, until the canaries of the registry passed twice, ten
 * minutes apart.
 */
export class DropBrake {
  /** @param dropsPerHour this many are always accepted */
  constructor(
    readonly state: DropBrakeState,
    private readonly drops: RecentDrops,
    private readonly dropsPerHour: number,
    private readonly units: TimeUnits,
  ) {}

  shouldHold(now: Date): boolean {
    if (this.state.heldSince) return true;
    if (this.isCleared(now)) return false;
    return this.drops.lastHour >= Math.max(this.dropsPerHour, BUSIEST_HOUR_FACTOR * this.drops.busiestHour);
  }

  get recheckDelayMs(): number {
    return RECHECK_MINUTES * this.units.minute;
  }

  private isCleared(now: Date): boolean {
    const { clearedAt } = this.state;
    return clearedAt !== null && now < after(clearedAt, CLEARANCE_HOURS * this.units.hour);
  }
}

export function dropBrakeTimings({ minute, hour, day }: TimeUnits) {
  return {
    hourMs: hour,
    dropHistoryMs: DROP_HISTORY_DAYS * day,
    canarySpacingMs: CANARY_SPACING_MINUTES * minute,
  };
}
