import type { AdmissionRequest } from '../../domain/lookup/operator-budget.js';
import type { ServerAddress } from './operator-resolver.js';

/**
 * How a question ended, as far as its operator is concerned, and which name it was about. `throttled` without seconds:
 * it did not say for how long. `ignored`: it says nothing about the operator.
 */
export type RequestOutcome =
  | { readonly kind: 'answered' | 'ignored' }
  | { readonly kind: 'failed'; readonly domain: string }
  | { readonly kind: 'throttled'; readonly domain: string; readonly retryAfterSeconds: number | null };

/** Leave to ask one question. It must be left again, whatever comes of it. */
export interface Permit {
  readonly kind: 'permit';
  release(outcome: RequestOutcome): void;
}

/** The question was not asked. */
export interface Rejection {
  readonly kind: 'rejected';
  /** The budget is spent for now, the operator wants to be left alone, or failed too often. */
  readonly reason: 'budget' | 'block' | 'breaker';
  /** When to try again. */
  readonly retryAfterSeconds: number;
}

/** Every question to a registry goes through here: one token and one slot of its operator each. */
export abstract class RegistryAdmission {
  /** Waits for its turn. */
  abstract acquire(server: ServerAddress, request: AdmissionRequest): Promise<Permit | Rejection>;

  /**
   * Asks one question in its turn.
   * @param toRequestOutcome what the answer means for the operator
   */
  async run<Answer>(
    server: ServerAddress,
    request: AdmissionRequest,
    query: () => Promise<Answer>,
    toOutcome: (answer: Answer) => RequestOutcome,
  ): Promise<Answer | Rejection> {
    const permit = await this.acquire(server, request);
    if (permit.kind === 'rejected') return permit;
    let outcome: RequestOutcome = { kind: 'ignored' }; // of a bug of ours
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

/** For an engine that works by itself, for one person and one name. */
export class UnlimitedAdmission extends RegistryAdmission {
  acquire(): Promise<Permit> {
    return Promise.resolve({ kind: 'permit', release: () => undefined });
  }
}
