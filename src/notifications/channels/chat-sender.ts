import type { TimeUnits } from '../../kernel/time-units.js';
import { type Bundle, type Message, toSenderType } from '../domain/channel-sender.js';
import type { DashboardLinks } from '../../kernel/dashboard-links.js';
import { type ChatFormat, type ChatMessage, toChatBundle, toChatMessage } from '../domain/formats/chat-format.js';
import { CHAT_FORMATS } from '../domain/formats/chat-formats.js';
import type { HttpReply, HttpRequest } from '../domain/http-exchange.js';
import type { GuardedHttp } from './guarded-http.js';
import type { Target } from '../domain/target.js';
import { type AttemptOutcome, failed } from '../domain/attempt.js';
import { HttpChannelSender } from './http-channel-sender.js';

/** Posts messages in a chat product's own format. Signs nothing, because these products verify no signatures. */
export class ChatSender extends HttpChannelSender {
  override readonly receivers: 'people' | 'programs';
  readonly type: string;
  readonly secret = 'none';
  override readonly hasSecretTarget = true;
  override readonly supportsHeaders: boolean;
  readonly example: ChatFormat['example'];

  constructor(
    private readonly format: ChatFormat,
    http: GuardedHttp,
    units: TimeUnits,
    private readonly dashboard: DashboardLinks | null,
  ) {
    super(http, units);
    this.type = toSenderType('webhook', format.name);
    this.receivers = format.opensIncidents ? 'programs' : 'people';
    this.supportsHeaders = format.supportsHeaders ?? false;
    this.example = format.example;
  }

  static all(http: GuardedHttp, units: TimeUnits, dashboard: DashboardLinks | null): ChatSender[] {
    return CHAT_FORMATS.map((format) => new ChatSender(format, http, units, dashboard));
  }

  override parseTarget(text: string): Target {
    const target = super.parseTarget(text);
    return { ...target, masked: this.format.mask(new URL(target.canonical)) };
  }

  override async sendBundle(bundle: Bundle): Promise<AttemptOutcome> {
    const { channel, timeoutMs } = bundle;
    const request = this.requestOf(channel, toChatBundle(bundle, this.dashboard, this.format.room ?? null));
    const result = await this.http.send({ ...request, channelId: channel.id, timeoutMs });
    return 'failure' in result ? failed(result.failure) : this.toOutcome(result.reply);
  }

  protected toRequest({ channel, event }: Message): HttpRequest {
    return this.requestOf(channel, toChatMessage(event, this.dashboard));
  }

  private requestOf(channel: Message['channel'], message: ChatMessage): HttpRequest {
    const { body, ...request } = this.format.toRequest(new URL(channel.target), message);
    const headers = { ...channel.headers, 'content-type': 'application/json' };
    return { ...request, headers, body: JSON.stringify(body) };
  }

  protected override toOutcome(reply: HttpReply): AttemptOutcome {
    return this.format.toOutcome?.(reply) ?? super.toOutcome(reply);
  }
}
