import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../auth/index.js';
import { DomainError } from '../../../kernel/domain-error.js';
import type { EntrySettings } from '../../domain/entry/entry-settings.js';
import { WatchlistService } from '../entries/watchlist.service.js';

/** Changes and removes entries that still have a tag when they are locked, one transaction each. */
@Injectable()
export class ChangeTaggedEntries {
  constructor(private readonly watchlist: WatchlistService) {}

  /** @returns why it was not changed; null when it was. A paused entry stays paused. */
  async change(account: Caller['account'], id: string, settings: EntrySettings, tag: string) {
    const { paused: _, ...changes } = settings;
    return refusalOf(() => this.watchlist.change(account, id, changes, ({ tags }) => tags.includes(tag)));
  }

  /** @returns whether it was removed; false when it is gone already or has lost the tag */
  async remove(accountId: string, id: string, tag: string): Promise<boolean> {
    return (await refusalOf(() => this.watchlist.remove(accountId, id, ({ tags }) => tags.includes(tag)))) === null;
  }
}

async function refusalOf(work: () => Promise<void>): Promise<DomainError | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}
