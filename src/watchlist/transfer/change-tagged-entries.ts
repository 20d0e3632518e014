import { Injectable } from '@nestjs/common';
import type { Caller } from '../../auth/index.js';
import { DomainError } from '../../kernel/domain-error.js';
import { PreconditionFailed } from '../../kernel/precondition-failed.js';
import { EntryNotFound } from '../domain/watchlist.errors.js';
import { EntryBatch, type LockedEntry } from '../entries/entry-batch.js';
import { EntryRevision } from '../entries/entry-revision.js';
import type { NewEntry } from './bulk-add-entries.js';
import type { ImportRun } from './import-run.js';
import { pickDescribed } from './synced-entry.js';

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
    run: ImportRun,
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
    run: ImportRun,
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
