import { LRUCache } from 'lru-cache';
import type { Json } from './rdap-json.js';

/** The text of an object or a list, and what it means. */
export interface KnownValue {
  readonly text: string;
  readonly value: Json;
}

/** Records of several registries follow each other; a comparison with more of them would not pay. */
const RECENT = 8;
const MAX_KNOWN = 1_000;
const MAX_LENGTH = 8_192;

/**
 * The values of one member, which is often the same text in all records of a registry, of a hoster or of a registrar.
 * Records share them, so they must not be changed.
 */
export class RecentValues {
  private readonly recent: KnownValue[] = [];
  private readonly known = new LRUCache<string, KnownValue>({ max: MAX_KNOWN });
  private next = 0;

  /** A value that begins with an object or list read before ends where that one did, by its bracket. */
  findAt(text: string, from: number): KnownValue | undefined {
    for (const one of this.recent) if (text.startsWith(one.text, from)) return one;
    return undefined;
  }

  /** @param text of a valid answer, from the opening bracket to the closing one */
  get(text: string): KnownValue | undefined {
    const known = text.length > MAX_LENGTH ? undefined : this.known.get(text);
    if (known) this.recent[this.next++ % RECENT] = known;
    return known;
  }

  add(text: string, value: Json): void {
    if (text.length > MAX_LENGTH) return;
    const copy = Buffer.from(text, 'latin1').toString('latin1'); // a part of a body would keep all of it
    this.known.set(copy, { text: copy, value });
  }
}
