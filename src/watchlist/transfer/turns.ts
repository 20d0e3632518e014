/** Limits the work between two turns of the event loop: 25 short lines, or fewer long lines. */
const UNITS_PER_TURN = 1_000;
const UNITS_PER_LINE = 40;
const CHARACTERS_PER_UNIT = 32;

/** Lets other requests run after a certain number of cells and characters. */
export class Turns {
  private left = UNITS_PER_TURN;

  async after(cells: readonly string[]): Promise<void> {
    const characters = cells.reduce((sum, { length }) => sum + length, 0);
    this.left -= UNITS_PER_LINE + cells.length + characters / CHARACTERS_PER_UNIT;
    if (this.left > 0) return;
    this.left = UNITS_PER_TURN;
    await new Promise(setImmediate);
  }
}
