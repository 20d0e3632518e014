import { Webhook } from 'standardwebhooks';
import { newId } from '../../kernel/identifier.js';
import { EVENT_FILTERS, matchesFilter, SigningSecret, webhookHeaders } from '../../notifications/index.js';

/** The request with which a webhook gets an event. */
export interface SignedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether the library of Standard Webhooks, which receivers use, accepts the signature. */
  readonly verified: boolean;
}

export interface RequestSigner {
  readonly secret: string;
  /** Returns null for an event that the filters exclude. */
  sign(body: string): SignedRequest | null;
}

const SECRET = /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/;

/** Returns null if the secret is malformed or a filter is not an event type. */
export function createRequestSigner(secret: string | undefined, filters: readonly string[] = []): RequestSigner | null {
  const known: readonly string[] = EVENT_FILTERS;
  if ((secret !== undefined && !SECRET.test(secret)) || !filters.every((filter) => known.includes(filter))) return null;
  const signing = secret === undefined ? SigningSecret.generate() : SigningSecret.restore(secret);
  const verifier = new Webhook(signing.text);
  return {
    secret: signing.text,
    sign: (body) => {
      const { id, type, timestamp } = JSON.parse(body) as { id: string; type: string; timestamp: string };
      if (filters.length > 0 && !filters.some((filter) => matchesFilter(filter, type))) return null;
      const headers = webhookHeaders({
        deliveryId: newId('dl'),
        attempt: 1,
        sentAt: new Date(),
        channel: { id: newId('nc'), accountId: '', target: '', secrets: [signing], credential: null, headers: {} },
        event: { id, type, body, createdAt: new Date(timestamp) },
      });
      return { headers, body, verified: isVerified(verifier, body, headers) };
    },
  };
}

function isVerified(verifier: Webhook, body: string, headers: Record<string, string>): boolean {
  try {
    verifier.verify(body, headers);
    return true;
  } catch {
    return false;
  }
}
