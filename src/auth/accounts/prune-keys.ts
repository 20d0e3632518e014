import { Injectable } from '@nestjs/common';
import { after, Clock } from '../../kernel/clock.js';
import { TimeUnits } from '../../kernel/time-units.js';
import { ApiKeyRepository } from './api-keys.repository.js';

const RETENTION_DAYS = 30;
const BATCH_SIZE = 1_000;

@Injectable()
export class PruneKeys {
  private readonly retentionMs: number;

  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly clock: Clock,
    { day }: TimeUnits,
  ) {
    this.retentionMs = RETENTION_DAYS * day;
  }

  async run(): Promise<void> {
    const before = after(this.clock.now(), -this.retentionMs);
    while ((await this.keys.deleteEnded(before, BATCH_SIZE)) === BATCH_SIZE);
  }
}
