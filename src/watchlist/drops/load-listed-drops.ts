import { Injectable } from '@nestjs/common';
import { DropListSource, ListedDrops } from '../../domains/index.js';
import { LISTING_GRACE_MS } from '../../domains/language.js';
import { after, Clock } from '../../kernel/clock.js';
import { DropListingRepository } from './drop-listings.repository.js';

/** Brings the stored listings into this process, once after each list that was applied. */
@Injectable()
export class LoadListedDrops {
  private loadedAt: number | null = null;

  constructor(
    private readonly source: DropListSource,
    private readonly listings: DropListingRepository,
    private readonly listed: ListedDrops,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    const { lists } = this.source;
    if (lists.length === 0) return;
    const appliedAt = (await this.listings.lastAppliedAt(lists))?.getTime() ?? null;
    if (appliedAt === this.loadedAt) return;
    this.listed.replaceAll(await this.listings.findSince(lists, after(this.clock.now(), -LISTING_GRACE_MS)));
    this.loadedAt = appliedAt;
  }
}
