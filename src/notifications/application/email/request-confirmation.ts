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

/** Schedules a confirmation mail to the address of a channel. Runs inside a unit of work. */
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
   * Above the account's limit the mail waits. Above the mailbox's limit it is not sent, and the answer hides that: it
   * would reveal requests of other accounts. Earlier links stay valid.
   */
  async run(channel: ConfirmableChannel): Promise<void> {
    const now = this.clock.now();
    const recent = await this.confirmations.lockRecent(toRecipient(channel), after(now, -DAY / this.timeScale));
    const at = nextConfirmationAt(recent, now, this.timeScale);
    if (at) this.confirmations.add(AddressConfirmation.request(channel, at, this.timeScale));
  }

  /** Deletes what no limit counts any more. Safe to run in several processes at once. */
  purge(): Promise<void> {
    return this.confirmations.purge(after(this.clock.now(), (-2 * DAY) / this.timeScale));
  }
}
