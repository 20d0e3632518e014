import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/config.js';
import { Clock } from '../../../kernel/clock.js';
import { type EffectiveInterval, effectiveInterval } from '../../domain/policies/effective-interval.js';
import type { EntryDetails } from '../ports/entry-reader.js';

/** Says how often looks come in fact, by now and at the speed of this service's time. */
@Injectable()
export class EffectiveIntervalService {
  constructor(
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  calculate(entry: EntryDetails): EffectiveInterval {
    return effectiveInterval(entry, this.clock.now(), this.config.timeScale);
  }
}
