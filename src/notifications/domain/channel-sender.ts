import type { AttemptOutcome } from './attempt.js';
import type { RetrySchedule } from './retry-schedule.js';
import type { SigningSecret } from './signing-secret.js';
import type { Target } from './target.js';
import { ChannelTypeUnknown, FormatNotSupported } from './notifications.errors.js';

/** The form of a type's name: `pager`, or `acme.pager` if an extension adds several types. */
export const CHANNEL_TYPE = /^(?=.{2,60}$)[a-z][a-z0-9_-]*(\.[a-z0-9_-]+)?$/;

const SEPARATOR = ':';

/**
 * Joins type and format as channels store them: `webhook:slack`. A process that does not know the format finds no
 * sender of this name. It leaves the deliveries to other processes and never posts the event in the wrong format.
 */
export function toSenderType(type: string, format: string | null): string {
  return format === null ? type : `${type}${SEPARATOR}${format}`;
}

/** Splits a stored type into the type and the format that the API shows. */
export function splitSenderType(senderType: string): { readonly type: string; readonly format: string | null } {
  const [type = '', format = null] = senderType.split(SEPARATOR);
  return { type, format };
}

/** Returns the name for error messages: `webhook`, or `webhook with format slack`. */
export function describeSenderType(senderType: string): string {
  const { type, format } = splitSenderType(senderType);
  return format === null ? type : `${type} with format ${format}`;
}

/** False for a format of webhooks, which lists of types do not show. */
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
    /** The canonical form, decrypted. */
    readonly target: string;
    /** The valid signing secrets, the current one first; empty for types without signatures. */
    readonly secrets: readonly SigningSecret[];
    /** The result of `parseCredential`, decrypted; null if the type takes no credential. */
    readonly credential: string | null;
    /** The account's own headers, by name in lower case; empty for types without headers. */
    readonly headers: Readonly<Record<string, string>>;
  };
  readonly event: {
    /** The same at each attempt and replay, so that receivers recognize a repeat. */
    readonly id: string;
    readonly type: string;
    /** JSON, which must be sent unchanged. `describeEvent` returns the event as text. */
    readonly body: string;
    readonly createdAt: Date;
  };
  /** Upper limit for the attempt, beside the sender's own timeout. */
  readonly timeoutMs: number;
}

/** Several events as one message, for people. */
export interface Bundle extends Pick<Message, 'channel' | 'sentAt' | 'timeoutMs'> {
  /** 1 for the first attempt at the first of `events`. */
  readonly attempt: number;
  /** At most 200: the urgent events first, then the oldest. */
  readonly events: readonly Message['event'][];
  /** The number of all events, including those beyond the 200. */
  readonly total: number;
}

/**
 * The kind of secret of a channel, which is stored encrypted.
 *
 * - `signing`: generated here, shown once, rotated by the account. Senders find it in `Message.channel.secrets`.
 * - `account`: sent by the account as `credential`, such as an API token. It is never shown; a PATCH replaces it.
 * - `none`
 */
export type ChannelSecret = 'signing' | 'account' | 'none';

/** A type of channel: parses its targets and sends its messages. */
export abstract class ChannelSender {
  /** The `type` of the channels it serves: lower-case letters, digits, "-", "_" and one ".". */
  abstract readonly type: string;
  /** The delays between its attempts. */
  abstract readonly schedule: RetrySchedule;
  /** Must not change while channels of this type exist. */
  abstract readonly secret: ChannelSecret;
  /**
   * True if anyone who knows a target can post there, as with the URLs of chat services. Such a target is stored
   * encrypted and shown masked. Must not change while channels of this type exist.
   */
  readonly hasSecretTarget: boolean = false;
  /** True if accounts may set headers of their own. */
  readonly supportsHeaders: boolean = false;
  /**
   * `programs` get each event by itself. `people` get everything that is due at once, at most once a minute. If that is
   * more than one event, `sendBundle` is called.
   */
  readonly receivers: 'people' | 'programs' = 'programs';
  /** A made-up target and one sentence about it, for the API document. */
  abstract readonly example: { readonly target: string; readonly about: string };
  /**
   * Returns the canonical form of a target, which finds a second channel for the same target.
   * @throws TargetInvalid, TargetNotAllowed
   */
  abstract parseTarget(text: string): Target;
  /**
   * Is called only if `secret` is 'account'.
   * @returns the credential as `send` needs it
   * @throws CredentialInvalid, or another DomainError
   */
  parseCredential(text: string): string {
    return text;
  }
  /** Sends once. Returns failures as outcomes, and throws on bugs only. */
  abstract send(message: Message): Promise<AttemptOutcome>;
  /** Sends several events as one message. Is called only if `receivers` is 'people'. */
  sendBundle?(bundle: Bundle): Promise<AttemptOutcome>;
}

type PeopleSender = ChannelSender & Required<Pick<ChannelSender, 'sendBundle'>>;

export function writesToPeople(sender: ChannelSender | undefined): sender is PeopleSender {
  return sender?.receivers === 'people' && sender.sendBundle !== undefined;
}

/** The known types of channels, each with its sender. */
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
   * Returns the sender for the type and format that an account asks for.
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
