import type { AttemptOutcome } from './attempt.js';
import type { RetrySchedule } from './retry-schedule.js';
import type { SigningSecret } from './signing-secret.js';
import type { Target } from './target.js';
import { ChannelTypeUnknown, FormatNotSupported } from './notifications.errors.js';

/** Matches the name of a channel type, such as `pager` or `acme.pager`. */
export const CHANNEL_TYPE = /^(?=.{2,60}$)[a-z][a-z0-9_-]*(\.[a-z0-9_-]+)?$/;

const SEPARATOR = ':';

/**
 * Makes the stored type, such as `webhook:slack`. A process of an older version without a sender for this type leaves
 * such channels alone.
 */
export function toSenderType(type: string, format: string | null): string {
  return format === null ? type : `${type}${SEPARATOR}${format}`;
}

export function splitSenderType(senderType: string): { readonly type: string; readonly format: string | null } {
  const [type = '', format = null] = senderType.split(SEPARATOR);
  return { type, format };
}

/** Names a stored type in error messages, such as `webhook with format slack`. */
export function describeSenderType(senderType: string): string {
  const { type, format } = splitSenderType(senderType);
  return format === null ? type : `${type} with format ${format}`;
}

/** Whether the API calls this a type. `webhook` is a type. `webhook:slack` is only a format of `webhook`. */
export function isType({ type }: { readonly type: string }): boolean {
  return splitSenderType(type).format === null;
}

/** Injection token of the senders that extensions add: `readonly ChannelSender[]`. */
export const EXTENSION_CHANNEL_SENDERS = 'extension-channel-senders';

/** One event as a sender gets it for one attempt. */
export interface Message {
  readonly deliveryId: string;
  /** The number of this attempt. The first attempt has the number 1. */
  readonly attempt: number;
  readonly sentAt: Date;
  readonly channel: {
    readonly id: string;
    readonly accountId: string;
    /** The normalized target, decrypted. */
    readonly target: string;
    /** The valid signing secrets, with the current secret first. Empty for types without signatures. */
    readonly secrets: readonly SigningSecret[];
    /** The decrypted result of `parseCredential`. null if the type takes no credential. */
    readonly credential: string | null;
    /** The account's own headers, by lower-case name. Empty for types without headers. */
    readonly headers: Readonly<Record<string, string>>;
  };
  readonly event: {
    /** Stays the same at each attempt and replay, so that receivers recognize repeats. */
    readonly id: string;
    readonly type: string;
    /**
     * The event as JSON. Send it unchanged, because receivers verify its signature. For a text, use `describeEvent`.
     */
    readonly body: string;
    readonly createdAt: Date;
  };
  /** The most time that the attempt may take. The sender may have a shorter timeout. */
  readonly timeoutMs: number;
}

/** Several events as one message, for people. */
export interface Bundle extends Pick<Message, 'channel' | 'sentAt' | 'timeoutMs'> {
  /** The number of this attempt for the first of `events`. Other events may have had more or fewer attempts. */
  readonly attempt: number;
  /** At most 200 events. Urgent events come first, then the oldest. */
  readonly events: readonly Message['event'][];
  /** The number of all events, including events that `events` leaves out. */
  readonly total: number;
}

/**
 * The kind of secret that a channel has. Secrets are stored encrypted.
 *
 * - `signing`: this service generates the secret, for `Message.channel.secrets`
 * - `account`: the account sends the secret as `credential`, such as an API token
 * - `none`: no secret
 */
export type ChannelSecret = 'signing' | 'account' | 'none';

/** Parses the targets of one channel type, and sends its messages. */
export abstract class ChannelSender {
  /** The name of the channel type, made of lower-case letters, digits, "-", "_" and at most one ".". */
  abstract readonly type: string;
  /** The delays between the attempts of a delivery. */
  abstract readonly schedule: RetrySchedule;
  /** Do not change this while channels of the type exist, because their stored secrets would not fit. */
  abstract readonly secret: ChannelSecret;
  /** True if anyone who knows the target can post there. Do not change this while channels of the type exist. */
  readonly hasSecretTarget: boolean = false;
  /** True if accounts may set headers of their own. */
  readonly supportsHeaders: boolean = false;
  /** `programs` get one message for each event. `people` get one for all due events, at most once a minute. */
  readonly receivers: 'people' | 'programs' = 'programs';
  /** A made-up target and one sentence about it, for the API document. */
  abstract readonly example: { readonly target: string; readonly about: string };
  /**
   * Normalizes a target, so that a second channel for the same target can be found.
   * @throws TargetInvalid if the text is no target of this type
   * @throws TargetNotAllowed if nothing may be sent to the target
   */
  abstract parseTarget(text: string): Target;
  /**
   * Called only if `secret` is 'account'.
   * @returns the credential as `send` needs it
   * @throws CredentialInvalid, or another DomainError, if the credential is not usable
   */
  parseCredential(text: string): string {
    return text;
  }
  /** Sends once. Returns failures as outcomes, and throws on bugs only. */
  abstract send(message: Message): Promise<AttemptOutcome>;
  /** Sends several events as one message. Called only if `receivers` is 'people'. */
  sendBundle?(bundle: Bundle): Promise<AttemptOutcome>;
}

type PeopleSender = ChannelSender & Required<Pick<ChannelSender, 'sendBundle'>>;

export function writesToPeople(sender: ChannelSender | undefined): sender is PeopleSender {
  return sender?.receivers === 'people' && sender.sendBundle !== undefined;
}

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

  /** @throws ChannelTypeUnknown if no sender has the type, FormatNotSupported if the type lacks the format */
  get(type: string, format: string | null = null): ChannelSender {
    const types = this.all().filter(isType);
    if (!types.some((sender) => sender.type === type)) throw new ChannelTypeUnknown(types.map((sender) => sender.type));
    const sender = this.find(toSenderType(type, format));
    if (!sender) throw new FormatNotSupported(type);
    return sender;
  }
}
