import { newId } from './identifier.js';

/** Something that happened in an account. The form of the payload is stable, because extensions read the payload. */
export interface DomainEvent<Payload = unknown> {
  /** `evt_…`; also the `webhook-id` of every delivery of this event. */
  readonly id: string;
  readonly type: string;
  readonly accountId: string;
  readonly occurredAt: Date;
  readonly payload: Payload;
  /** If set, the event appears in lists of events, but is sent to no channel. */
  readonly isShownOnly?: true;
}

export function createDomainEvent<Payload>(
  type: string,
  accountId: string,
  occurredAt: Date,
  payload: Payload,
): DomainEvent<Payload> {
  return { id: newId('evt'), type, accountId, occurredAt, payload };
}
