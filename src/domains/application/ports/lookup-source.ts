import type { OperatorBudget } from '../../../kernel/operator-budget.js';
import type { DomainName } from '../../domain/name/domain-name.js';
import type { LookupErrorCode } from '../../domain/lookup/lookup-result.js';
import type { RegistrationFacts } from '../../domain/lifecycle/registration-facts.js';

/** Injection token of the sources that extensions add: `readonly LookupSource[]`. */
export const EXTENSION_LOOKUP_SOURCES = 'extension-lookup-sources';

/** What one server of a source says about a name, and the id of the rule that decided it. */
export type SourceAnswer = { readonly rule: string; readonly excerpt: string; readonly httpStatus: number | null } & (
  | { readonly kind: 'facts'; readonly facts: RegistrationFacts }
  | { readonly kind: 'failure'; readonly code: LookupErrorCode; readonly retryAfterSeconds: number | null }
);

export interface SourceServer {
  readonly host: string;
  readonly port: number;
}

/**
 * Where the facts about a name come from. The engine admits each question to the budget, limits its time and its
 * excerpt, and applies zone check, DNS veto and confirmation to every answer: no source can skip them.
 */
export abstract class LookupSource {
  /** The `source` of its evidence. */
  abstract readonly name: string;
  /** `only`: its answer is final. `first`: a record that it finds is; anything else is asked of the next source. */
  abstract readonly role: 'only' | 'first';
  /** null: the budget of the settings for its server. */
  abstract readonly budget: OperatorBudget | null;
  abstract servers(): ReadonlyMap<string, SourceServer>;
  /** Asks once. Expected failures are answers; it throws on bugs only. */
  abstract ask(name: DomainName, server: SourceServer, signal: AbortSignal): Promise<SourceAnswer>;
}
