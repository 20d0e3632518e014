import { Injectable } from '@nestjs/common';
import { ENTRY_SETTINGS, type EntrySettings, findDifferences, type SettingField } from '../domain/entry-settings.js';
import type { Caller } from '../../auth/index.js';
import { DomainError, PreconditionFailed } from '../../kernel/domain-error.js';
import { EntryNotFound } from '../domain/watch-entry.js';
import { EntryBatch, type LockedEntry } from '../entries/entry-batch.js';
import { EntryRevision } from '../entries/entry-revision.js';
import type { NewEntry } from './import-lines.js';
import type { BulkRun } from './bulk-run.js';

/** What a file describes. Whether an entry is paused is no part of it: a sync leaves that alone. */
type Described = Omit<EntrySettings, 'paused'>;
export type SyncedField = Exclude<SettingField, 'paused'>;

/** Returns the settings in which the entry differs from the file, by their names in the API. */
export function findDescribedDifferences(entry: EntrySettings, desired: EntrySettings): SyncedField[] {
  const differing = findDifferences(entry, pickDescribed(desired));
  return differing.filter((key) => key !== 'paused').map((key) => ENTRY_SETTINGS[key].field);
}

/** Leaves out the defaults of what a file does not describe. */
function pickDescribed({ paused: _, ...described }: EntrySettings): Described {
  return described;
}

/** Names that are locked until the commit; routine results of them wait. */
const BATCH_SIZE = 50;

/** Changes and removes entries that still have a tag when they are locked, some in one transaction. */
@Injectable()
export class ChangeTaggedEntries {
  constructor(
    private readonly batches: EntryBatch,
    private readonly revision: EntryRevision,
  ) {}

  /** What a file does not describe stays, such as a pause. @returns why an entry was not changed, by name */
  async change(
    account: Caller['account'],
    desired: readonly NewEntry[],
    tag: string,
    run: BulkRun,
  ): Promise<ReadonlyMap<string, DomainError>> {
    const settings = new Map(desired.map((one) => [one.name.ascii, one.settings]));
    const refusals = new Map<string, DomainError>([...settings.keys()].map((domain) => [domain, new EntryNotFound()]));
    const change = async (locked: LockedEntry) => {
      const domain = locked.entry.domain.ascii;
      const wanted = settings.get(domain);
      refusals.set(domain, new PreconditionFailed());
      if (!wanted || !locked.entry.tags.includes(tag)) return;
      await this.revision.revise(account, locked, pickDescribed(wanted));
      run.count('changed');
      refusals.delete(domain);
    };
    const changeAll = async (locked: readonly LockedEntry[]) => {
      for (const one of locked) await change(one);
    };
    for (const domains of chunks([...settings.keys()])) await this.batches.change(account.id, domains, changeAll, run);
    return refusals;
  }

  /**
   * Yields the names of those that were removed by each transaction; others are gone already or have lost the tag.
   */
  async *remove(
    accountId: string,
    domains: readonly string[],
    tag: string,
    run: BulkRun,
  ): AsyncGenerator<ReadonlySet<string>, void, void> {
    for (const some of chunks(domains)) {
      const removed = new Set<string>();
      const remove = async (locked: readonly LockedEntry[]) => {
        const tagged = locked.filter(({ entry }) => entry.tags.includes(tag));
        await this.revision.remove(tagged);
        for (const { entry } of tagged) {
          run.count('removed');
          removed.add(entry.domain.ascii);
        }
      };
      await this.batches.change(accountId, some, remove, run);
      yield removed;
    }
  }
}

function* chunks(domains: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at < domains.length; at += BATCH_SIZE) yield domains.slice(at, at + BATCH_SIZE);
}
