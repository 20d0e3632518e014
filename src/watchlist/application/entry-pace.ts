import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Clock } from '../../kernel/clock.js';
import { type EffectiveInterval, effectiveInterval } from '../domain/effective-interval.js';
import type { EntryDetails } from '../domain/entry-details.js';

/** Says how often looks come in fact, by now and at the speed of this service's time. */
@Injectable()
export class EntryPace {
  constructor(
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  of(entry: EntryDetails): EffectiveInterval {
    return effectiveInterval(entry, this.clock.now(), this.config.timeScale);
  }
}
