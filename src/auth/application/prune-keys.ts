import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { after, Clock, DAY } from '../../kernel/clock.js';
import { ApiKeyRepository } from '../domain/api-key.js';

/** Kept after revocation or expiry. */
const RETENTION_MS = 30 * DAY;
const BATCH_SIZE = 1_000;

/** Deletes keys that ended long ago. */
@Injectable()
export class PruneKeys {
  private readonly retentionMs: number;

  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly clock: Clock,
    { timeScale }: Config,
  ) {
    this.retentionMs = RETENTION_MS / timeScale;
  }

  async run(): Promise<void> {
    const before = after(this.clock.now(), -this.retentionMs);
    while ((await this.keys.deleteEnded(before, BATCH_SIZE)) === BATCH_SIZE);
  }
}
