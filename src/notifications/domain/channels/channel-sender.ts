import type { AttemptOutcome } from '../deliveries/attempt.js';
import type { RetrySchedule } from '../deliveries/retry-schedule.js';
import type { SigningSecret } from './signing-secret.js';
import type { Target } from './target.js';
import { ChannelTypeUnknown } from '../notifications.errors.js';

/** One attempt's worth of what is to be sent. */
export interface Message {
  readonly deliveryId: string;
  /** Which attempt this is, 1 for the first. */
  readonly attempt: number;
  readonly sentAt: Date;
  readonly channel: {
    readonly id: string;
    readonly accountId: string;
    /** Canonical. */
    readonly target: string;
    /** All that sign at present, the current one first; none for types without signatures. */
    readonly secrets: readonly SigningSecret[];
    /** Sent along as the account wants it, by name in lower case; none for types without headers. */
    readonly headers: Readonly<Record<string, string>>;
  };
  readonly event: {
    readonly id: string;
    readonly type: string;
    /** The bytes to send as they are. */
    readonly body: string;
    readonly createdAt: Date;
  };
  /** Milliseconds that the attempt may take, whatever the sender's own patience. */
  readonly timeoutMs: number;
}

/** A type of channel: how its targets are read and how its messages go out. */
export abstract class ChannelSender {
  /** The `type` of the channels it serves. */
  abstract readonly type: string;
  abstract readonly schedule: RetrySchedule;
  /** Whether its receivers check a signature, so that each channel gets a secret. */
  abstract readonly signs: boolean;
  /** Whether its messages can carry headers of the account's choice. */
  readonly supportsHeaders: boolean = false;
  /** Whether a receiver has to confirm before anything is sent there. */
  readonly requiresConfirmation: boolean = false;
  /** False while nothing of this type can be sent at all, for want of a setting. */
  get isReady(): boolean {
    return true;
  }
  /** @throws TargetInvalid, TargetNotAllowed */
  abstract parseTarget(text: string): Target;
  /** Sends once. Expected failure is an outcome; it throws on bugs only. */
  abstract send(message: Message): Promise<AttemptOutcome>;
}

/** The types of channels there are. Registering one more sender adds a type. */
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
