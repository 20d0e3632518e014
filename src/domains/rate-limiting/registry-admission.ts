import type { AdmissionRequest } from '../domain/lookup/operator-budget.js';
import type { ServerAddress } from '../domain/lookup/registry-server.js';

/**
 * What a request says about its operator's health, and which name it was for. `throttled` without seconds: no
 * Retry-After was given. `ignored`: it says nothing about the operator.
 */
export type RequestOutcome =
  | { readonly kind: 'answered' | 'ignored' }
  | { readonly kind: 'failed'; readonly domain: string }
  | { readonly kind: 'throttled'; readonly domain: string; readonly retryAfterSeconds: number | null };

/** Permission to send one request. Always release it, whatever the outcome. */
export interface Permit {
  readonly kind: 'permit';
  release(outcome: RequestOutcome): void;
}

/** The request must not be sent now. */
export interface Rejection {
  readonly kind: 'rejected';
  /** Rate limit exhausted, operator blocked by Retry-After, or circuit breaker open. */
  readonly reason: 'budget' | 'block' | 'breaker';
  readonly retryAfterSeconds: number;
}

/** All requests to registries pass through here: each takes one token and one slot of its operator. */
export abstract class RegistryAdmission {
  /** Waits for a token and a slot. */
  abstract acquire(server: ServerAddress, request: AdmissionRequest): Promise<Permit | Rejection>;

  /**
   * Sends one request once it is admitted.
   * @param toOutcome what the answer says about the operator's health
   */
  async run<Answer>(
    server: ServerAddress,
    request: AdmissionRequest,
    query: () => Promise<Answer>,
    toOutcome: (answer: Answer) => RequestOutcome,
  ): Promise<Answer | Rejection> {
    const permit = await this.acquire(server, request);
    if (permit.kind === 'rejected') return permit;
    let outcome: RequestOutcome = { kind: 'ignored' }; // stays so when the request throws: a bug of ours
    try {
      const answer = await query();
      outcome = toOutcome(answer);
      return answer;
    } finally {
      permit.release(outcome);
    }
  }
}

export function isRejection(result: object): result is Rejection {
  return 'kind' in result && result.kind === 'rejected';
}

/** For the CLI, which looks up one name for one person. */
export class UnlimitedAdmission extends RegistryAdmission {
  acquire(): Promise<Permit> {
    return Promise.resolve({ kind: 'permit', release: () => undefined });
  }
}
