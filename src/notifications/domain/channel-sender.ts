import type { AttemptOutcome } from './attempt.js';
import type { RetrySchedule } from './retry-schedule.js';
import type { SigningSecret } from './signing-secret.js';
import type { Target } from './target.js';
import { ChannelTypeUnknown, FormatNotSupported } from './notifications.errors.js';

/** How the name of a type is written: `pager`, or `acme.pager` for one of several of an extension. */
export const CHANNEL_TYPE = /^(?=.{2,60}$)[a-z][a-z0-9_-]*(\.[a-z0-9_-]+)?$/;

const SEPARATOR = ':';

/**
 * Names the sender of a format, as channels store it: `webhook:slack`. A process that does not know the format has no
 * sender of this name, and leaves the deliveries to others instead of posting the event as it is.
 */
export function toSenderType(type: string, format: string | null): string {
  return format === null ? type : `${type}${SEPARATOR}${format}`;
}

/** The type and the format that the API shows. */
export function splitSenderType(senderType: string): { readonly type: string; readonly format: string | null } {
  const [type = '', format = null] = senderType.split(SEPARATOR);
  return { type, format };
}

/** Names it in errors: `webhook`, or `webhook with format slack`. */
export function describeSenderType(senderType: string): string {
  const { type, format } = splitSenderType(senderType);
  return format === null ? type : `${type} with format ${format}`;
}

/** Whether a sender is a type of its own, in lists of types. */
export function isType({ type }: { readonly type: string }): boolean {
  return splitSenderType(type).format === null;
}

/** Injection token of the senders that extensions add: `readonly ChannelSender[]`. */
export const EXTENSION_CHANNEL_SENDERS = 'extension-channel-senders';

/** The content of one attempt. */
export interface Message {
  readonly deliveryId: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  readonly sentAt: Date;
  readonly channel: {
    readonly id: string;
    readonly accountId: string;
    /** Canonical, in clear. */
    readonly target: string;
    /** The valid signing secrets, the current one first; empty for types without signatures. */
    readonly secrets: readonly SigningSecret[];
    /** The result of `parseCredential`, in clear; null for types whose accounts give none. */
    readonly credential: string | null;
    /** The account's own headers, by name in lower case; empty for types without headers. */
    readonly headers: Readonly<Record<string, string>>;
  };
  readonly event: {
    /** The same at each attempt and replay, so that receivers recognize a repeat. */
    readonly id: string;
    readonly type: string;
    /** JSON, the bytes to send as they are; `describeEvent` has the event as text. */
    readonly body: string;
    readonly createdAt: Date;
  };
  /** Upper limit for the attempt, beside the sender's own timeout. */
  readonly timeoutMs: number;
}

/** Several events as one message, for people. */
export interface Bundle extends Pick<Message, 'channel' | 'sentAt' | 'timeoutMs'> {
  /** 1 for the first attempt at the first of its events. */
  readonly attempt: number;
  /** At most 200, what is urgent first, then the oldest. */
  readonly events: readonly Message['event'][];
  /** How many events it is about, those that it does not name among them. */
  readonly total: number;
}

/**
 * The secret of a channel, sealed at rest.
 *
 * - `signing`: generated here, shown once, rotated by the account. In `Message.channel.secrets`.
 * - `account`: the account sends it as `credential`, such as an API token; never shown, replaced by a PATCH.
 * - `none`
 */
export type ChannelSecret = 'signing' | 'account' | 'none';

/** A type of channel: parses its targets and sends its messages. */
export abstract class ChannelSender {
  /** The `type` of the channels it serves: lower-case letters, digits, "-", "_" and one ".". */
  abstract readonly type: string;
  /** The delays between its attempts. */
  abstract readonly schedule: RetrySchedule;
  /** Must not be changed for a type that has channels. */
  abstract readonly secret: ChannelSecret;
  /**
   * True: anyone who knows a target can post there, as with the URLs of chat services. Sealed at rest and masked in every
   * answer. Not to be changed for a type that has channels.
   */
  readonly hasSecretTarget: boolean = false;
  /** True: accounts may set headers of their own. */
  readonly supportsHeaders: boolean = false;
  /**
   * `programs` get each event by itself. `people` get one message with everything that is due, at most one a minute: then
   * `sendBundle` is called where it is more than one event.
   */
  readonly receivers: 'people' | 'programs' = 'programs';
  /** Is shown in the API document: a made-up target, and one sentence on what it is. */
  abstract readonly example: { readonly target: string; readonly about: string };
  /**
   * The canonical form of a target, by which a second channel for it is rejected.
   * @throws TargetInvalid, TargetNotAllowed
   */
  abstract parseTarget(text: string): Target;
  /**
   * Is asked where `secret` is 'account'.
   * @returns the credential as `send` needs it
   * @throws CredentialInvalid, or another DomainError
   */
  parseCredential(text: string): string {
    return text;
  }
  /** Sends once. Failures are outcomes; it throws on bugs only. */
  abstract send(message: Message): Promise<AttemptOutcome>;
  /** The same for several events; is asked where `receivers` is 'people'. */
  sendBundle?(bundle: Bundle): Promise<AttemptOutcome>;
}

type PeopleSender = ChannelSender & Required<Pick<ChannelSender, 'sendBundle'>>;

export function writesToPeople(sender: ChannelSender | undefined): sender is PeopleSender {
  return sender?.receivers === 'people' && sender.sendBundle !== undefined;
}

/** The types of channels. Registering a sender adds a type. */
export class ChannelSenderRegistry {
  private readonly byType = new Map<string, ChannelSender>();

  register(sender: ChannelSender): void {
    if (this.byType.has(sender.type)) throw new Error(`two senders for channels of type ${sender.type}`);
    this.byType.set(sender.type, sender);
  }

  all(): ChannelSender[] {
    return [...this.byType.values()];
  }

  find(type: string): ChannelSender | undefined {
    return this.byType.get(type);
  }

  /**
   * The sender for the type and format that an account asks for.
   * @throws ChannelTypeUnknown, FormatNotSupported
   */
  get(type: string, format: string | null = null): ChannelSender {
    const types = this.all().filter(isType);
    if (!types.some((sender) => sender.type === type)) throw new ChannelTypeUnknown(types.map((sender) => sender.type));
    const sender = this.find(toSenderType(type, format));
    if (!sender) throw new FormatNotSupported(type);
    return sender;
  }
}
