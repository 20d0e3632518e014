import type { EntrySettings } from '../domain/entry-settings.js';

/** An entry as a file of the watchlist describes it. */
export interface TaggedEntry extends Pick<
  EntrySettings,
  'intervalMinutes' | 'expiringWindowDays' | 'tags' | 'note' | 'intent' | 'remindDays' | 'renewal' | 'expected'
> {
  readonly id: string;
  readonly domain: string;
}

/** Reads an account's entries to compare them with a file; one statement each, outside any transaction. */
export abstract class TaggedEntryReader {
  /** The entries for these A-labels, by name, whatever their tags. */
  abstract findByDomains(accountId: string, domains: readonly string[]): Promise<ReadonlyMap<string, TaggedEntry>>;
  /** The entries with the tag after this A-label, in order. */
  abstract findTagged(
    accountId: string,
    tag: string,
    after: string,
    limit: number,
  ): Promise<readonly Pick<TaggedEntry, 'id' | 'domain'>[]>;
}
