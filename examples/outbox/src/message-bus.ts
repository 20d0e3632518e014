import { Injectable } from 'namewatch/nest';
import type { OutboxMessage } from './outbox-messages.js';
import { OutboxSettings } from './outbox-settings.js';

const SEND_LIMIT_MS = 10_000;

/** The HTTP endpoint of the message bus. */
@Injectable()
export class MessageBus {
  constructor(private readonly settings: OutboxSettings) {}

  /** @throws unless the bus has taken the message */
  async send({ eventId, accountId, type, occurredAt, data }: OutboxMessage, signal: AbortSignal): Promise<void> {
    const { url, token } = this.settings;
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': eventId,
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ id: eventId, type, occurred_at: occurredAt, account_id: accountId, data }),
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(SEND_LIMIT_MS)]),
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`the message bus answered ${response.status}`);
  }
}
