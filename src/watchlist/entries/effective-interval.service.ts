import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { TimeUnits } from '../../kernel/time-units.js';
import { type EffectiveInterval, effectiveInterval } from '../domain/effective-interval.js';
import type { EntryDetails } from './entry-reader.repository.js';

/** Calculates how often an entry is really checked, at the time scale of this service. */
@Injectable()
export class EffectiveIntervalService {
  constructor(
    private readonly clock: Clock,
    private readonly units: TimeUnits,
  ) {}

  calculate(entry: EntryDetails): EffectiveInterval {
    return effectiveInterval(entry, this.clock.now(), this.units);
  }
}
