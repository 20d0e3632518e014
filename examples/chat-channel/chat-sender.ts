import {
  accepted,
  type AttemptOutcome,
  ChannelSender,
  failed,
  type Message,
  RetrySchedule,
  type Target,
  TargetInvalid,
} from '../../src/notifications/index.js';
import { TimeUnits } from '../../src/kernel/time-units.js';

const ROOM = /^#[a-z0-9-]{1,50}$/;
/** Milliseconds. */
const TIMEOUT_MS = 10_000;

/** The operator's own chat server; accounts choose a room of it, never an address. */
export interface ChatServer {
  readonly url: string;
  readonly token: string;
}

/**
 * A further type of channel, from outside the module: `{"type": "chat", "target": "#domains"}` posts a line to a room.
 * One call makes it known to a service: `app.get(ChannelSenderRegistry).register(new ChatSender(server))`.
 */
export class ChatSender extends ChannelSender {
  readonly type = 'chat';
  readonly signs = false;
  readonly schedule = RetrySchedule.forWebhooks(TimeUnits.REAL);

  constructor(private readonly server: ChatServer) {
    super();
  }

  parseTarget(text: string): Target {
    const asSent = text.trim();
    const canonical = asSent.toLowerCase();
    if (!ROOM.test(canonical)) throw new TargetInvalid('A room begins with # and has letters, digits and hyphens.');
    return { asSent, canonical };
  }

  async send({ channel, event, timeoutMs }: Message): Promise<AttemptOutcome> {
    try {
      const reply = await fetch(`${this.server.url}/rooms/${channel.target.slice(1)}/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${this.server.token}` },
        // A repeat bears the same id, so that the server can drop it.
        body: JSON.stringify({ id: event.id, text: lineOf(event.type, event.body) }),
        redirect: 'error',
        signal: AbortSignal.timeout(Math.min(TIMEOUT_MS, timeoutMs)),
      });
      await reply.body?.cancel();
      if (reply.ok) return accepted(reply.status, null);
      return failed('http_error', {
        responseStatus: reply.status,
        fault: reply.status === 401 ? 'service' : 'receiver',
      });
    } catch (error) {
      return failed((error as Error).name === 'TimeoutError' ? 'timeout' : 'connect');
    }
  }
}

function lineOf(type: string, body: string): string {
  const { data } = JSON.parse(body) as { data: Readonly<Record<string, unknown>> };
  if (typeof data['domain'] !== 'string') return type;
  return `${data['domain']}: ${String(data['previous_status'])} → ${String(data['status'])}`;
}
