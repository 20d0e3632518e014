import { type CaughtMail, MailCatcher } from '../test/support/fakes/mail-catcher.js';

/** One event as somebody could read it, in a mail of its own or in a digest. */
export interface Mailed {
  readonly channel: string;
  readonly event: string;
}

const DOMAIN = 'receiver.example';
const EVENT = /\bevt_[0-9a-z]{26}\b/g;
/**
 * Milliseconds: so often it is disagreeable, and for so long. What was refused comes again after a second, then after
 * five, and finds it in a better mood: by a third refusal a delivery would be put off for longer than a run lasts.
 */
const MOODS = { every: 4_000, last: 500 };
const TRY_LATER = { code: 451, text: 'try again later' };

/** Somebody's mail server, which at times wants to be asked again later. */
export class Mails {
  private readonly moods: NodeJS.Timeout;

  private constructor(private readonly catcher: MailCatcher) {
    this.moods = setInterval(() => {
      catcher.refusals = { message: TRY_LATER };
      setTimeout(() => (catcher.refusals = {}), MOODS.last);
    }, MOODS.every);
  }

  static async start(): Promise<Mails> {
    return new Mails(await MailCatcher.start());
  }

  get settings(): Record<string, string> {
    const asked = { NOTIFICATIONS_EMAIL_CONFIRMATION: 'false' }; // nobody here reads mail and presses buttons
    return { SMTP_URL: this.catcher.url, MAIL_FROM: `namewatch@${DOMAIN}`, ...asked };
  }

  /** Where a channel of this label sends to. */
  address(label: string): string {
    return `${label}@${DOMAIN}`;
  }

  /** Takes all there is from now on. */
  behave(): void {
    clearInterval(this.moods);
    this.catcher.refusals = {};
  }

  /** What arrived, as often as it did. */
  get mailed(): Mailed[] {
    return this.catcher.caught.all.flatMap(readIn);
  }

  close(): Promise<void> {
    this.behave();
    return this.catcher.close();
  }
}

/** A mail names each of its events once in its text. */
function readIn({ to, parsed }: CaughtMail): Mailed[] {
  const events = new Set(parsed.text?.match(EVENT));
  return to.flatMap((address) => [...events].map((event) => ({ channel: address.replace(`@${DOMAIN}`, ''), event })));
}
