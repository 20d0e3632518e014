import type { Attempt, Delivery } from '../../../../clients/typescript/src/index.js';
import type { Tone } from '../../components/phase-words.js';

const OUTCOMES: Readonly<Record<NonNullable<Attempt['outcome']>, string>> = {
  ok: 'Arrived',
  http_error: 'The receiver refused it',
  blocked: 'Its address is not allowed',
  dns: 'The name of its server was not found',
  connect: 'No connection',
  tls: 'No valid certificate',
  timeout: 'No answer in time',
  lost: 'The service stopped in the middle',
  mail_rejected: 'The mail relay refused it',
  mail_not_configured: 'There is no mail relay',
};

export function outcomeText({
  outcome,
  response_status: status,
}: Pick<Attempt, 'outcome' | 'response_status'>): string {
  if (outcome === null) return 'In progress';
  return status === null ? OUTCOMES[outcome] : `${OUTCOMES[outcome]} (${status})`;
}

export const DELIVERY_TONES: Readonly<Record<Delivery['state'], Tone>> = {
  pending: 'note',
  delivered: 'good',
  failed: 'bad',
  paused: 'warn',
  disabled: 'calm',
};
export const DELIVERY_STATES: Readonly<Record<Delivery['state'], string>> = {
  pending: 'On its way',
  delivered: 'Delivered',
  failed: 'Failed',
  paused: 'Held: channel is off',
  disabled: 'Cancelled: name removed',
};

export function deliveryText({ state, next_attempt_at: next, attempts }: Delivery): {
  readonly text: string;
  readonly at: string | null;
} {
  if (state === 'pending' && attempts.length > 0 && next !== null) return { text: 'Next try', at: next };
  return { text: DELIVERY_STATES[state], at: null };
}

/** Groups adjacent deliveries that are waiting and failed in the same way. */
export function groupWaiting(deliveries: readonly Delivery[]): (readonly [Delivery, ...Delivery[]])[] {
  const groups: [Delivery, ...Delivery[]][] = [];
  for (const delivery of deliveries) {
    const group = groups.at(-1);
    if (group && delivery.state === 'pending' && waitsLike(group[0], delivery)) group.push(delivery);
    else groups.push([delivery]);
  }
  return groups;
}

function waitsLike(one: Delivery, other: Delivery): boolean {
  const [last, otherLast] = [one.attempts.at(-1), other.attempts.at(-1)];
  return (
    one.state === other.state &&
    last?.outcome === otherLast?.outcome &&
    last?.response_status === otherLast?.response_status
  );
}
