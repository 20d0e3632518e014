import type { SourceAnswer } from '../domain/lookup/lookup-source.js';
import type { Rejection } from '../rate-limiting/registry-admission.js';
import type { RegistryServer } from '../domain/lookup/registry-server.js';

/** One query of a lookup, and what became of it. */
export interface ObservedQuery {
  /** The name of the source: `rdap`, `whois`, `sandbox`, or an extension's. */
  readonly protocol: string;
  readonly server: RegistryServer;
  /** `found`, `absent`, `reserved`, a lookup error code, `referral`, or `not_sent_` and why. */
  readonly outcome: string;
  /** From sending to the parsed answer; null when nothing was sent. */
  readonly seconds: number | null;
}

/** Learns of every query to a registry. This one does nothing. */
export class QueryObserver {
  static readonly none = new QueryObserver();

  observe(_query: ObservedQuery): void {}
}

export function outcomeOf(answer: SourceAnswer<RegistryServer>): string {
  if (answer.kind === 'facts') return answer.facts.outcome;
  return answer.kind === 'failure' ? answer.code : 'referral';
}

export function outcomeOfRejection({ reason }: Rejection): string {
  return `not_sent_${reason}`;
}
