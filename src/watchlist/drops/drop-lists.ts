import { Injectable, Logger } from '@nestjs/common';
import { DropListSource, type DropListResult, type FetchedDropList, ListedDrops } from '../../domains/index.js';
import { type DropListId, type DropListing, LISTING_GRACE_MS } from '../../domains/language.js';
import { after, Clock, DAY, HOUR, MINUTE } from '../../kernel/clock.js';
import { type AppliedDropList, DropListingRepository } from './drop-listings.repository.js';
import { DROP_WINDOW_MARGIN_MS } from '../domain/check-schedule.js';

/** How often a list is fetched. Each registry publishes its list once a day. */
const FETCH_INTERVAL_MS = 3 * HOUR;
const RETRY_INTERVAL_MS = 15 * MINUTE;
const BATCH_SIZE = 2_000;
/** A list that shrinks by more than half may be incomplete. The former list stays in use for three days. */
const MAX_SHRINK_RATIO = 0.5;
const SHRINK_DOUBT_MS = 3 * DAY;

/** Follows the registries' lists of names to delete (drop lists) in real time, even if TIME_SCALE speeds up a test. */
@Injectable()
export class FollowDropLists {
  private readonly log = new Logger(FollowDropLists.name);
  private loadedAt: number | null = null;

  constructor(
    private readonly source: DropListSource,
    private readonly listings: DropListingRepository,
    private readonly listed: ListedDrops,
    private readonly clock: Clock,
  ) {}

  /** Reads the lists that are due. An interrupted run is repeated after some minutes, which is safe. */
  async refreshAll(signal?: AbortSignal): Promise<void> {
    for (const list of this.source.lists) {
      if (signal?.aborted) return;
      const now = this.clock.now();
      const applied = await this.listings.claim(list, now, after(now, RETRY_INTERVAL_MS));
      if (applied) await this.refresh(list, applied, now);
    }
  }

  /** Loads the stored listings into this process whenever a list was applied since the last call. */
  async load(): Promise<void> {
    const { lists } = this.source;
    if (lists.length === 0) return;
    const appliedAt = (await this.listings.lastAppliedAt(lists))?.getTime() ?? null;
    if (appliedAt === this.loadedAt) return;
    this.listed.replaceAll(await this.listings.findSince(lists, after(this.clock.now(), -LISTING_GRACE_MS)));
    this.loadedAt = appliedAt;
  }

  /**
   * Makes a name due when its listed deletion is less than {@link DROP_WINDOW_MARGIN_MS} away. Idempotent.
   * @returns how many names became due
   */
  async beginWindows(): Promise<number> {
    const { lists } = this.source;
    if (lists.length === 0) return 0;
    const now = this.clock.now();
    return this.listings.beginDropWindows(lists, now, after(now, DROP_WINDOW_MARGIN_MS));
  }

  private async refresh(list: DropListId, applied: AppliedDropList, now: Date): Promise<void> {
    const result = await this.source.fetch(list, applied.validators);
    const problem = result.kind === 'unusable' ? result.problem : doubtAbout(result, applied, now);
    if (problem !== null)
      this.log.warn(
        { list, problem, inUse: applied.appliedAt },
        'drop list not refreshed: the copy before stays in use',
      );
    else if (result.kind === 'fetched') await this.apply(list, result, now);
    else await this.listings.postpone(list, after(now, FETCH_INTERVAL_MS));
  }

  /** Stores the watched names of the list, in batches, because a list has hundreds of thousands of names. */
  private async apply(list: DropListId, { validators, size, listings }: FetchedDropList, at: Date): Promise<void> {
    let batch: DropListing[] = [];
    for await (const listing of listings()) {
      if (batch.push(listing) < BATCH_SIZE) continue;
      await this.listings.store(batch, at);
      batch = [];
    }
    await this.listings.store(batch, at);
    const due = await this.listings.removeOlder(list, at);
    await this.listings.markApplied(list, {
      validators,
      size,
      appliedAt: at,
      nextFetchAt: after(at, FETCH_INTERVAL_MS),
    });
    this.log.log({ list, names: size, due }, 'drop list applied; watched names that left it are due');
  }
}

function doubtAbout(result: DropListResult, { size, appliedAt }: AppliedDropList, now: Date): string | null {
  if (result.kind !== 'fetched' || appliedAt === null || now > after(appliedAt, SHRINK_DOUBT_MS)) return null;
  if (result.size >= size * MAX_SHRINK_RATIO) return null;
  return `it has ${result.size} names, and had ${size} at ${appliedAt.toISOString()}`;
}
