/** A write by the API and its answer. */
export interface ClientAction {
  readonly kind: 'entry' | 'channel' | 'key';
  /** Unique: a domain, a target, the name of a key. */
  readonly subject: string;
  /** null: no answer. */
  id: string | null;
  /** `asked`: without an answer, so it may have been done or not. */
  added: 'asked' | 'answered';
  removed: 'no' | 'asked' | 'answered';
  /** When the removal was acknowledged, epoch milliseconds. */
  removedAt: number | null;
}

/** A check answered with a status; epoch milliseconds. */
export interface AnsweredCheck {
  readonly name: string;
  readonly status: string;
  readonly from: number;
  readonly to: number;
}

/** The answers to clients, to compare with the final state. */
export class ClientLog {
  readonly actions: ClientAction[] = [];
  readonly checks: AnsweredCheck[] = [];

  start(kind: ClientAction['kind'], subject: string): ClientAction {
    const action: ClientAction = { kind, subject, id: null, added: 'asked', removed: 'no', removedAt: null };
    this.actions.push(action);
    return action;
  }
}
