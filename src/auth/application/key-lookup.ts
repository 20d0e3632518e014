import { LRUCache } from 'lru-cache';
import { Batches } from '../../platform/batches.js';
import type { ApiKeys, StoredKey } from '../domain/api-key.js';
import type { KeyText } from '../domain/key-text.js';

const PROVEN_HELD = 10_000;
/** What a first look-up waits for others from an address that is locked out; milliseconds. */
const GATHER_MS = 250;

/**
 * Reads keys from the database. A key that was valid before is read at once, on a connection of its own. A key that was
 * never valid here may be a guess, so all of these share one statement at a time: a flood of guesses costs one
 * connection, and a valid key among them is still found. From an address that is locked out that is four statements a
 * second.
 */
export class KeyLookup {
  private readonly proven = new LRUCache<string, true>({ max: PROVEN_HELD });
  private readonly unproven: Batches<string, StoredKey | null>;
  private readonly suspect: Batches<string, StoredKey | null>;

  constructor(private readonly keys: ApiKeys) {
    const find = (ids: readonly string[]) => this.findAll(ids);
    this.unproven = new Batches(find);
    this.suspect = new Batches(find, GATHER_MS);
  }

  async find({ id, digest }: KeyText, isSuspect: boolean): Promise<StoredKey | null> {
    if (this.proven.has(digest)) return (await this.findAll([id]))[0] ?? null;
    return isSuspect ? this.suspect.ask(id) : this.unproven.ask(id);
  }

  notePresented({ digest }: KeyText, isValid: boolean): void {
    if (isValid) this.proven.set(digest, true);
    else this.proven.delete(digest);
  }

  private async findAll(ids: readonly string[]): Promise<(StoredKey | null)[]> {
    const stored = new Map((await this.keys.stored([...new Set(ids)])).map((key) => [key.id, key]));
    return ids.map((id) => stored.get(id) ?? null);
  }
}
