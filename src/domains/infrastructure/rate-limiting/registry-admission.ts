import type { AdmissionRequest } from '../../domain/lookup/operator-budget.js';
import type { ServerAddress } from './operator-resolver.js';

/**
 * How a question ended, as far as its operator is concerned, and which name it was about. `throttled` without seconds:
 * it did not say for how long. `untold`: it says nothing about the operator.
 */
export type RequestOutcome =
  | { readonly kind: 'answered' | 'untold' }
  | { readonly kind: 'failed'; readonly about: string }
  | { readonly kind: 'throttled'; readonly about: string; readonly retryAfterSeconds: number | null };

/** Leave to ask one question. It must be left again, whatever comes of it. */
export interface Permit {
  readonly kind: 'pass';
  leave(ending: RequestOutcome): void;
}

/** The question was not asked. */
export interface Rejection {
  readonly kind: 'withheld';
  /** The budget is spent for now, the operator wants to be left alone, or failed too often. */
  readonly reason: 'budget' | 'block' | 'breaker';
  /** When to try again. */
  readonly retryAfterSeconds: number;
}

/** Every question to a registry goes through here: one token and one slot of its operator each. */
export abstract class RegistryAdmission {
  /** Waits for its turn. */
  abstract enter(server: ServerAddress, asking: AdmissionRequest): Promise<Permit | Rejection>;

  /**
   * Asks one question in its turn.
   * @param toRequestOutcome what the answer means for the operator
   */
  async ask<Answer>(
    server: ServerAddress,
    asking: AdmissionRequest,
    question: () => Promise<Answer>,
    endingOf: (answer: Answer) => RequestOutcome,
  ): Promise<Answer | Rejection> {
    const pass = await this.enter(server, asking);
    if (pass.kind === 'withheld') return pass;
    let ending: RequestOutcome = { kind: 'untold' }; // of a bug of ours
    try {
      const answer = await question();
      ending = endingOf(answer);
      return answer;
    } finally {
      pass.leave(ending);
    }
  }
}

export function isRejection(answer: object): answer is Rejection {
  return 'kind' in answer && answer.kind === 'withheld';
}

/** For an engine that works by itself, for one person and one name. */
export class UnlimitedAdmission extends RegistryAdmission {
  enter(): Promise<Permit> {
    return Promise.resolve({ kind: 'pass', leave: () => undefined });
  }
}
