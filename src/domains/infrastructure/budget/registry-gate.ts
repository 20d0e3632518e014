import type { Asking } from '../../domain/budget.js';
import type { AskedServer } from '../registry-operators.js';

/**
 * How a question ended, as far as its operator is concerned, and which name it was about. `throttled` without seconds:
 * it did not say for how long. `untold`: it says nothing about the operator.
 */
export type Ending =
  | { readonly kind: 'answered' | 'untold' }
  | { readonly kind: 'failed'; readonly about: string }
  | { readonly kind: 'throttled'; readonly about: string; readonly retryAfterSeconds: number | null };

/** Leave to ask one question. It must be left again, whatever comes of it. */
export interface Pass {
  readonly kind: 'pass';
  leave(ending: Ending): void;
}

/** The question was not asked. */
export interface Withheld {
  readonly kind: 'withheld';
  /** The budget is spent for now, the operator wants to be left alone, or failed too often. */
  readonly reason: 'budget' | 'block' | 'breaker';
  /** When to try again. */
  readonly retryAfterSeconds: number;
}

/** Every question to a registry goes through here: one token and one slot of its operator each. */
export abstract class RegistryGate {
  /** Waits for its turn. */
  abstract enter(server: AskedServer, asking: Asking): Promise<Pass | Withheld>;

  /**
   * Asks one question in its turn.
   * @param endingOf what the answer means for the operator
   */
  async ask<Answer>(
    server: AskedServer,
    asking: Asking,
    question: () => Promise<Answer>,
    endingOf: (answer: Answer) => Ending,
  ): Promise<Answer | Withheld> {
    const pass = await this.enter(server, asking);
    if (pass.kind === 'withheld') return pass;
    let ending: Ending = { kind: 'untold' }; // of a bug of ours
    try {
      const answer = await question();
      ending = endingOf(answer);
      return answer;
    } finally {
      pass.leave(ending);
    }
  }
}

export function isWithheld(answer: object): answer is Withheld {
  return 'kind' in answer && answer.kind === 'withheld';
}

/** For an engine that works by itself, for one person and one name. */
export class OpenGate extends RegistryGate {
  enter(): Promise<Pass> {
    return Promise.resolve({ kind: 'pass', leave: () => undefined });
  }
}
