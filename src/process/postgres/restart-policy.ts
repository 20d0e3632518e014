const WINDOW_MS = 10 * 60_000;
const MAX_RESTARTS = 5;
const FIRST_PAUSE_MS = 1_000;

/** How often a server that ended is started again: five times within ten minutes, each after twice the pause. */
export class RestartPolicy {
  private restarts: number[] = [];

  /** How long to wait before the restart that this counts; null when it would be one too many. */
  nextPauseMs(nowMs: number): number | null {
    this.restarts = this.restarts.filter((at) => nowMs - at < WINDOW_MS);
    const made = this.restarts.length;
    if (made === MAX_RESTARTS) return null;
    this.restarts.push(nowMs);
    return FIRST_PAUSE_MS * 2 ** made;
  }
}
