import { AsyncResource } from 'node:async_hooks';
import { LRUCache } from 'lru-cache';

const WINDOW_MS = 60_000;
const MAX_SOURCES = 1_000;

interface Repeats {
  count: number;
  write: (suffix: string) => void;
}

/**
 * Writes the first of similar lines, then one a minute with their number. Lines are similar when they have the same
 * source and differ only in numbers.
 */
export class LogDeduplicator {
  private readonly repeats = new LRUCache<string, Repeats>({ max: MAX_SOURCES });

  /** @param line appends `suffix` to the line; later too, as the request that it belongs to */
  writeOrCount(source: string, text: string, line: (suffix: string) => void): void {
    const write = AsyncResource.bind(line);
    const key = `${source} ${text.replace(/\d+/g, '#')}`;
    const known = this.repeats.get(key);
    if (known) {
      known.count += 1;
      known.write = write;
      return;
    }
    this.openWindow(key, write);
    write('');
  }

  private openWindow(key: string, write: Repeats['write']): void {
    const repeats: Repeats = { count: 0, write };
    this.repeats.set(key, repeats);
    setTimeout(() => this.closeWindow(key, repeats), WINDOW_MS).unref();
  }

  /** A window without a repeat ends the series. */
  private closeWindow(key: string, { count, write }: Repeats): void {
    this.repeats.delete(key);
    if (count === 0) return;
    this.openWindow(key, write);
    write(` (${count} more like it in ${WINDOW_MS / 1_000} s)`);
  }
}
