const WINDOW_MS = 10 * 60_000;
const MAX_RESTARTS = 5;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * How often a server that ended is started again: five times within ten minutes, each after twice the pause. For want of
 * space it is started until there is some, at most half a minute apart: whoever makes space should not have to start it
 * as well, and nothing is damaged meanwhile.
 */
export class RestartPolicy {
  private restarts: number[] = [];
  private restartsWithoutSpace: number[] = [];

  /** How long to wait before the restart that this counts; null when it would be one too many. */
  nextPauseMs(nowMs: number, isDiskFull = false): number | null {
    const isCounted = (at: number) => nowMs - at < WINDOW_MS;
    this.restarts = this.restarts.filter(isCounted);
    this.restartsWithoutSpace = this.restartsWithoutSpace.filter(isCounted);
    const counted = isDiskFull ? this.restartsWithoutSpace : this.restarts;
    if (!isDiskFull && counted.length === MAX_RESTARTS) return null;
    counted.push(nowMs);
    return Math.min(FIRST_PAUSE_MS * 2 ** (counted.length - 1), LONGEST_PAUSE_MS);
  }
}
