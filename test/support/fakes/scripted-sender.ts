import {
  accepted,
  type AttemptOutcome,
  type ChannelSecret,
  ChannelSender,
  type Message,
  RetrySchedule,
} from '../../../src/notifications/index.js';
import { TimeUnits } from '../../../src/kernel/time-units.js';
import { Arrivals } from '../../world/arrivals.js';

/** A type of channel from outside the module, whose receivers behave as the test says. */
export class ScriptedSender extends ChannelSender {
  readonly type: string = 'scripted';
  readonly secret: ChannelSecret = 'none';
  readonly example = { target: 'receiver', about: 'A receiver that behaves as the test says' };
  readonly schedule: RetrySchedule = RetrySchedule.forWebhooks(TimeUnits.REAL, () => 0.5);
  readonly sent = new Arrivals<Message>();
  /** The outcomes from now on; set it again to change that. */
  receive: (message: Message) => AttemptOutcome | Promise<AttemptOutcome> = () => accepted(200, null);

  parseTarget(text: string) {
    const canonical = text.toLowerCase();
    return { asSent: text, canonical, host: canonical.split('/')[0] ?? canonical };
  }

  async send(message: Message): Promise<AttemptOutcome> {
    this.sent.add(message);
    return this.receive(message);
  }
}
