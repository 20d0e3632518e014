import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/config.js';
import { after, Clock, DAY } from '../../../kernel/clock.js';
import {
  nextConfirmationAt,
  type ConfirmableChannel,
  AddressConfirmation,
  AddressConfirmationRepository,
  toRecipient,
} from '../../domain/email/address-confirmation.js';

/** Asks the address of a channel whether it wants its mails. Called inside the transaction that makes it necessary. */
@Injectable()
export class RequestConfirmation {
  private readonly timeScale: number;

  constructor(
    private readonly confirmations: AddressConfirmationRepository,
    private readonly clock: Clock,
    { timeScale }: Config,
  ) {
    this.timeScale = timeScale;
  }

  /**
   * Beyond the account's budget the question waits. Beyond the mailbox's limit nothing is mailed, and the answer does
   * not say so: it would tell who else asked. A link that was mailed before is as good as a new one.
   */
  async run(channel: ConfirmableChannel): Promise<void> {
    const now = this.clock.now();
    const recent = await this.confirmations.lockRecent(toRecipient(channel), after(now, -DAY / this.timeScale));
    const at = nextConfirmationAt(recent, now, this.timeScale);
    if (at) this.confirmations.add(AddressConfirmation.request(channel, at, this.timeScale));
  }

  /** Questions that are too old to count. Any number of processes may do this at once. */
  purge(): Promise<void> {
    return this.confirmations.purge(after(this.clock.now(), (-2 * DAY) / this.timeScale));
  }
}
