export interface Progress {
  update(done: number): void;
  /** A line on stderr, above the bar if there is one. */
  log(line: string): void;
  end(): void;
}

/** A bar on a terminal's stderr; a file or a pipe gets the lines alone. */
export async function createProgress(total: number): Promise<Progress> {
  const silent = { update: () => undefined, log: (line: string) => console.error(line), end: () => undefined };
  if (!process.stderr.isTTY) return silent;
  const { MultiBar, Presets } = await import('cli-progress');
  const options = { stream: process.stderr, format: '{bar} {value}/{total} lines, {eta_formatted} left' };
  const bars = new MultiBar({ ...options, hideCursor: true, clearOnComplete: true }, Presets.shades_classic);
  const bar = bars.create(total, 0);
  return {
    update: (done) => bar.update(Math.min(done, total)),
    log: (line) => bars.log(`${line}\n`),
    end: () => bars.stop(),
  };
}
