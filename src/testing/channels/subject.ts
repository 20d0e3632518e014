import assert from 'node:assert/strict';
import { TimeUnits } from '../../kernel/time-units.js';
import {
  type AttemptOutcome,
  type ChannelSender,
  type GuardedHttp,
  type Message,
  sendMessage,
  toSecretParts,
} from '../../notifications/index.js';
import { LoopbackHttp } from './loopback-http.js';
import { LoopbackReceiver, type Reply, replyWith } from './loopback-receiver.js';
import { createMessage, SIGNING_SECRETS } from './messages.js';

export interface ChannelSenderContractOptions {
  /** Makes the sender; `http` leads to a receiver on loopback, whatever the host. */
  readonly create: (http: GuardedHttp, units: TimeUnits) => ChannelSender;
  /** Texts that this type must reject. */
  readonly invalidTargets: readonly string[];
  /** For `secret: 'account'`: a credential that it accepts, and texts that it rejects. */
  readonly credential?: string;
  readonly invalidCredentials?: readonly string[];
}

/** A sender with a receiver of its own, for one case. */
export class Subject {
  private constructor(
    readonly sender: ChannelSender,
    readonly receiver: LoopbackReceiver,
    private readonly options: ChannelSenderContractOptions,
  ) {}

  static async run(options: ChannelSenderContractOptions, check: (subject: Subject) => Promise<void>): Promise<void> {
    const receiver = await LoopbackReceiver.start();
    const http = new LoopbackHttp(receiver);
    try {
      await check(new Subject(options.create(http, TimeUnits.REAL), receiver, options));
    } finally {
      await http.onApplicationShutdown();
      await receiver.stop();
    }
  }

  message(changes: Partial<Message> = {}): Message {
    const { sender, options } = this;
    const credential = sender.secret === 'account' ? sender.parseCredential(options.credential ?? '') : null;
    const target = sender.parseTarget(sender.example.target).canonical;
    return createMessage(sender, { target, credential, changes });
  }

  /** Sends as the engine does. @throws what the sender threw */
  async send(reply: Reply = replyWith(200), changes: Partial<Message> = {}): Promise<AttemptOutcome> {
    this.receiver.reply = reply;
    const message = this.message(changes);
    const { outcome, bug } = await sendMessage(this.sender, message, this.host);
    if (bug) assert.fail(`send() threw: ${String((bug.cause as Error).stack)}`);
    return outcome;
  }

  /** Texts that must not be where people read: the longest part of a secret target, and the other secrets. */
  get secrets(): readonly string[] {
    const { sender, options } = this;
    const [, ...parts] = toSecretParts(sender.parseTarget(sender.example.target).canonical, this.host);
    const token = parts.toSorted((left, right) => right.length - left.length).slice(0, 1);
    return [
      ...(sender.hasSecretTarget ? token : []),
      ...(sender.secret === 'account' ? [options.credential ?? ''] : []),
      ...(sender.secret === 'signing' ? SIGNING_SECRETS.map(({ text }) => text) : []),
    ];
  }

  private get host(): string {
    return this.sender.parseTarget(this.sender.example.target).host ?? this.sender.type;
  }
}

/** @throws when a text has one of these secrets, in base64 too */
export function assertNoSecret(text: string | null, secrets: readonly string[], where: string): void {
  const words = (text ?? '').match(/[\w+/=-]{8,}/g) ?? [];
  const texts = [text ?? '', ...words.map((word) => Buffer.from(word, 'base64').toString())];
  assert.ok(!secrets.some((secret) => texts.some((one) => one.includes(secret))), `${where} has a secret in it`);
}
