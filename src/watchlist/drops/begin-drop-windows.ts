import { Injectable } from '@nestjs/common';
import { DropListSource } from '../../domains/index.js';
import { after, Clock } from '../../kernel/clock.js';
import { DROP_WINDOW_MARGIN_MS } from '../domain/check-schedule.js';
import { DropListingRepository } from './drop-listings.repository.js';

/** Makes a listed name due when its drop comes near, however long its interval is. */
@Injectable()
export class BeginDropWindows {
  constructor(
    private readonly source: DropListSource,
    private readonly listings: DropListingRepository,
    private readonly clock: Clock,
  ) {}

  /** Idempotent. @returns how many names were made due */
  async run(): Promise<number> {
    const { lists } = this.source;
    if (lists.length === 0) return 0;
    const now = this.clock.now();
    return this.listings.beginDropWindows(lists, now, after(now, DROP_WINDOW_MARGIN_MS));
  }
}
