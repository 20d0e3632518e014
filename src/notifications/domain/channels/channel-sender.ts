import type { AttemptOutcome } from '../deliveries/attempt.js';
import type { RetrySchedule } from '../deliveries/retry-schedule.js';
import type { SigningSecret } from './signing-secret.js';
import type { Target } from './target.js';
import { ChannelTypeUnknown } from '../notifications.errors.js';

/** Injection token of the senders that extensions add: `readonly ChannelSender[]`. */
export const EXTENSION_CHANNEL_SENDERS = 'extension-channel-senders';

/** What one attempt sends. */
export interface Message {
  readonly deliveryId: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  readonly sentAt: Date;
  readonly channel: {
    readonly id: string;
    readonly accountId: string;
    /** Canonical. */
    readonly target: string;
    /** The valid secrets, the current one first; empty for types without signatures. */
    readonly secrets: readonly SigningSecret[];
    /** The account's own headers, by name in lower case; empty for types without headers. */
    readonly headers: Readonly<Record<string, string>>;
  };
  readonly event: {
    readonly id: string;
    readonly type: string;
    /** The bytes to send as they are. */
    readonly body: string;
    readonly createdAt: Date;
  };
  /** Upper limit for the attempt, beside the sender's own timeout. */
  readonly timeoutMs: number;
}

/** A type of channel: parses its targets and sends its messages. */
export abstract class ChannelSender {
  /** The `type` of the channels it serves. */
  abstract readonly type: string;
  abstract readonly schedule: RetrySchedule;
  /** True: each channel gets a signing secret. */
  abstract readonly signs: boolean;
  /** True: accounts may set headers of their own. */
  readonly supportsHeaders: boolean = false;
  /** True: a receiver has to confirm before anything else is sent there. */
  readonly requiresConfirmation: boolean = false;
  /** False while a setting is missing without which nothing of this type can be sent. */
  get isReady(): boolean {
    return true;
  }
  /** @throws TargetInvalid, TargetNotAllowed */
  abstract parseTarget(text: string): Target;
  /** Sends once. Failures are outcomes; it throws on bugs only. */
  abstract send(message: Message): Promise<AttemptOutcome>;
}

/** The types of channels. Registering a sender adds a type. */
export class ChannelSenderRegistry {
  private readonly byType = new Map<string, ChannelSender>();

  register(sender: ChannelSender): void {
    if (this.byType.has(sender.type)) throw new Error(`two senders for channels of type ${sender.type}`);
    this.byType.set(sender.type, sender);
  }

  find(type: string): ChannelSender | undefined {
    return this.byType.get(type);
  }

  /** @throws ChannelTypeUnknown */
  get(type: string): ChannelSender {
    const sender = this.find(type);
    if (!sender) throw new ChannelTypeUnknown([...this.byType.keys()]);
    return sender;
  }
}
