import { after, DAY, HOUR, MINUTE } from '../../../kernel/clock.js';

/** Number of an operator's drops without a prior deletion status. */
export interface RecentDrops {
  readonly lastHour: number;
  /** Of the hours of the last seven days, without the last hour. */
  readonly busiestHour: number;
}

/** Whether sudden drops of a TLD are held. */
export interface DropBrakeState {
  readonly operator: string;
  readonly tld: string;
  /** Since when drops are held; null when released. */
  readonly heldSince: Date | null;
  /** When the canaries of the TLD last passed. */
  readonly clearedAt: Date | null;
}

export interface DropBrakeSettings {
  /** This many drops per hour are always accepted. */
  readonly dropsPerHour: number;
  readonly timeScale: number;
}

/** More than this many times the busiest hour suggests a broken registry. */
const BUSIEST_HOUR_FACTOR = 3;
/** After its canaries passed, drops of a registry are accepted this long. */
const CLEARANCE_MS = HOUR;
const CANARY_SPACING_MS = 10 * MINUTE;
const DROP_HISTORY_MS = 7 * DAY;

/**
 * Holds sudden drops when an operator has too many in an hour, until the canaries of the registry passed twice, ten
 * minutes apart.
 */
export class DropBrake {
  constructor(
    readonly state: DropBrakeState,
    private readonly drops: RecentDrops,
    private readonly settings: DropBrakeSettings,
  ) {}

  /** Whether another sudden drop must wait for the canaries. */
  shouldHold(now: Date): boolean {
    if (this.state.heldSince) return true;
    if (this.isCleared(now)) return false;
    return this.drops.lastHour >= Math.max(this.settings.dropsPerHour, BUSIEST_HOUR_FACTOR * this.drops.busiestHour);
  }

  /** When a held drop is checked again. */
  get recheckDelayMs(): number {
    return (5 * MINUTE) / this.settings.timeScale;
  }

  private isCleared(now: Date): boolean {
    const { clearedAt } = this.state;
    return clearedAt !== null && now < after(clearedAt, CLEARANCE_MS / this.settings.timeScale);
  }
}

/** The durations of the drop brake. */
export function dropBrakeTimings({ timeScale }: DropBrakeSettings) {
  return {
    hourMs: HOUR / timeScale,
    dropHistoryMs: DROP_HISTORY_MS / timeScale,
    canarySpacingMs: CANARY_SPACING_MS / timeScale,
  };
}
