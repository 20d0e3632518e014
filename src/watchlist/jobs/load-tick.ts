import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { MINUTE } from '../../kernel/clock.js';
import { MeasureOperatorLoad } from '../application/maintenance/measure-operator-load.js';

/** Keeps what entries tell of their operators' budgets up to date; of several processes the first one does. */
@Injectable()
export class LoadTick {
  private readonly log = new Logger(LoadTick.name);

  constructor(private readonly loads: MeasureOperatorLoad) {}

  @Interval(MINUTE)
  async tick(): Promise<void> {
    try {
      await this.loads.run();
    } catch (error) {
      this.log.warn(`what budgets cannot serve is measured by the next tick: ${(error as Error).message}`);
    }
  }
}
