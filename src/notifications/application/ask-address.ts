import { Injectable } from '@nestjs/common';
import { Config } from '../../config.js';
import { after, Clock, DAY, HOUR } from '../../kernel/clock.js';
import { type Asking, Consent, Consents, mayAsk } from '../domain/consent.js';

/** Asks the address of a channel whether it wants its mails. Called inside the transaction that makes it necessary. */
@Injectable()
export class AskAddress {
  private readonly scale: number;

  constructor(
    private readonly consents: Consents,
    private readonly clock: Clock,
    { timeScale }: Config,
  ) {
    this.scale = timeScale;
  }

  /**
   * Beyond the limits nothing is mailed, and nobody is told so: it would say who else asked. A link that was mailed
   * before is as good as a new one.
   */
  async run(channel: Asking): Promise<void> {
    const now = this.clock.now();
    const consent = Consent.ask(channel, now, this.scale);
    const [dayAgo, hourAgo] = [after(now, -DAY / this.scale), after(now, -HOUR / this.scale)];
    const asked = await this.consents.askedOfLate(consent, dayAgo, hourAgo);
    if (mayAsk(asked)) this.consents.add(consent);
  }

  /** Questions that are too old to count. Any number of processes may do this at once. */
  forget(): Promise<void> {
    return this.consents.forget(after(this.clock.now(), (-2 * DAY) / this.scale));
  }
}
