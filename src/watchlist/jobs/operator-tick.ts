import { Injectable, Logger } from '@nestjs/common';
import { Interval, Timeout } from '@nestjs/schedule';
import { HOUR, SECOND } from '../../kernel/clock.js';
import { ReassignOperators } from '../application/maintenance/reassign-operators.js';

/** Settings that changed are told by a start; TLDs change hands while the service runs. */
const AFTER_START = 10 * SECOND;

/** Sees that names are counted for their operators of today; more than one process may do so at a time. */
@Injectable()
export class OperatorTick {
  private readonly log = new Logger(OperatorTick.name);

  constructor(private readonly operators: ReassignOperators) {}

  @Timeout(AFTER_START)
  start(): Promise<void> {
    return this.tick();
  }

  @Interval(HOUR)
  async tick(): Promise<void> {
    try {
      const names = await this.operators.run();
      if (names > 0) this.log.log({ names }, 'handed over to their operators of today');
    } catch (error) {
      this.log.warn(`names are handed over to their operators by the next tick: ${(error as Error).message}`);
    }
  }
}
