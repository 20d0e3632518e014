import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/config.js';
import { after, Clock, DAY } from '../../../kernel/clock.js';
import { askAt, type Asking, Consent, Consents, recipientOf } from '../../domain/email/address-confirmation.js';

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
   * Beyond the account's budget the question waits. Beyond the mailbox's limit nothing is mailed, and the answer does
   * not say so: it would tell who else asked. A link that was mailed before is as good as a new one.
   */
  async run(channel: Asking): Promise<void> {
    const now = this.clock.now();
    const asked = await this.consents.askedOfLate(recipientOf(channel), after(now, -DAY / this.scale));
    const at = askAt(asked, now, this.scale);
    if (at) this.consents.add(Consent.ask(channel, at, this.scale));
  }

  /** Questions that are too old to count. Any number of processes may do this at once. */
  forget(): Promise<void> {
    return this.consents.forget(after(this.clock.now(), (-2 * DAY) / this.scale));
  }
}
