import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { after, Clock, DAY } from '../../kernel/clock.js';
import { ApiKeys } from '../domain/api-key.js';

/** How long a key can still be looked up after it was revoked or expired. */
const KEPT_FOR = 30 * DAY;
const BATCH = 1_000;

/** Deletes keys that ended long ago. */
@Injectable()
export class PruneKeys {
  private readonly keptFor: number;

  constructor(
    private readonly keys: ApiKeys,
    private readonly clock: Clock,
    { timeScale }: Config,
  ) {
    this.keptFor = KEPT_FOR / timeScale;
  }

  async run(): Promise<void> {
    const before = after(this.clock.now(), -this.keptFor);
    while ((await this.keys.prune(before, BATCH)) === BATCH);
  }
}
