import type { Plan } from '../../auth/language.js';
import { DomainError } from '../../kernel/domain-error.js';

/** What happens to a name of a list: a new entry, an existing one, or a refusal. */
export type Decision =
  { readonly kind: 'new' | 'existing' } | { readonly kind: 'refused'; readonly refusal: DomainError };

/** Decides the names of a list in order: the first ones use up the plan; a repeated name exists by then. */
export class PlanQuota {
  private readonly watched: Set<string>;

  /** @param watched the names of the list that the account already watches */
  constructor(
    private readonly plan: Plan,
    private entryCount: number,
    watched: Iterable<string>,
  ) {
    this.watched = new Set(watched);
  }

  decide(domain: string): Decision {
    if (this.watched.has(domain)) return { kind: 'existing' };
    const refusal = this.refusal();
    if (refusal) return { kind: 'refused', refusal };
    this.entryCount += 1;
    this.watched.add(domain);
    return { kind: 'new' };
  }

  private refusal(): DomainError | null {
    try {
      this.plan.requireRoomFor('entries', this.entryCount);
      return null;
    } catch (error) {
      if (error instanceof DomainError) return error;
      throw error;
    }
  }
}
