import { SECOND } from '../../kernel/clock.js';
import type { AdmissionRequest } from '../domain/operators.js';
import type { ServerAddress } from '../domain/lookup/lookup-source.js';

/** How a request ended. The outcome may block the request's operator, or open or close its circuit breaker. */
export type RequestOutcome =
  | { readonly kind: 'answered' | 'ignored' }
  | { readonly kind: 'failed'; readonly domain: string }
  | { readonly kind: 'throttled'; readonly domain: string; readonly retryAfterSeconds: number | null };

/** Permission to send one request. Always release it, whatever the outcome. */
export interface Permit {
  readonly kind: 'permit';
  release(outcome: RequestOutcome): void;
}

export interface Rejection {
  readonly kind: 'rejected';
  /**
   * `budget`: the rate limit is used up. `block`: the pause by Retry-After is not over. `breaker`: the circuit breaker
   * is open.
   */
  readonly reason: 'budget' | 'block' | 'breaker';
  readonly retryAfterSeconds: number;
}

export function rejection(reason: Rejection['reason'], waitMs: number): Rejection {
  return { kind: 'rejected', reason, retryAfterSeconds: Math.max(1, Math.ceil(waitMs / SECOND)) };
}

/**
 * Gives permits. Each query to a registry needs a permit, which counts against the limits of the registry's operator.
 */
export abstract class RegistryAdmission {
  /** Waits until the query may be sent, but no longer than the request allows. */
  abstract acquire(server: ServerAddress, request: AdmissionRequest): Promise<Permit | Rejection>;
}

/** Admits every query, for commands that look up one name for one person. */
export class UnlimitedAdmission extends RegistryAdmission {
  acquire(): Promise<Permit> {
    return Promise.resolve({ kind: 'permit', release: () => undefined });
  }
}
