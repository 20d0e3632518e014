import type { ChangedName } from './lookup-coordinator.js';
import type { LookupFailure, Observation } from '../domain/lookup/lookup-result.js';

/** Excerpts are capped when they are created, and once more before they are stored. */
const EXCERPT_LIMIT = 500;
const DATE_MEMBERS = new Set(['observedAt', 'registeredAt', 'expiresAt', 'lastTransferAt']);

/**
 * The stored JSON keeps the property names of the first release, because processes of several releases may share the
 * table.
 */
type StoredObservation = Omit<Observation, 'kind' | 'facts' | 'recheckWithinMs'> & {
  readonly kind: 'proof';
  readonly lookAgainWithin: number | null;
};
type StoredFailure = Omit<LookupFailure, 'dnsVetoed' | 'delegatedAt' | 'notSent'> & {
  readonly withheld?: LookupFailure['notSent'];
};

/** An observation as two JSON texts, so that a change of the facts is visible. */
export interface SerializedObservation {
  readonly facts: string;
  readonly proof: string;
}

export function serializeObservation(observation: Observation): SerializedObservation {
  const { facts, evidence, recheckWithinMs, ...rest } = observation;
  const renamed = { kind: 'proof', lookAgainWithin: recheckWithinMs } as const;
  const stored: StoredObservation = { ...rest, ...renamed, evidence: withCappedExcerpts(evidence) };
  return { facts: JSON.stringify(facts), proof: JSON.stringify(stored) };
}

export function parseObservation({ facts, proof }: SerializedObservation): Observation {
  const { lookAgainWithin: recheckWithinMs, ...rest } = parseWithDates(proof) as StoredObservation;
  return { ...rest, kind: 'observation', recheckWithinMs, facts: parseWithDates(facts) as Observation['facts'] };
}

/** Without the absence that was vetoed: only the watch whose lookup it was may build on that. */
export function serializeFailure(failure: LookupFailure): string {
  const { dnsVetoed: _vetoed, delegatedAt: _delegatedAt, notSent, evidence, ...rest } = failure;
  const withheld = notSent && { withheld: notSent };
  const stored: StoredFailure = { ...rest, ...withheld, evidence: withCappedExcerpts(evidence) };
  return JSON.stringify(stored);
}

export function parseFailure(text: string): LookupFailure {
  const { withheld: notSent, ...rest } = parseWithDates(text) as StoredFailure;
  return { ...rest, ...(notSent && { notSent }) };
}

/** @param text names and milliseconds since 1970 in turn, with a space between them */
export function parseChanges(text: string): ChangedName[] {
  const words = text.split(' ');
  const changes: ChangedName[] = [];
  for (let at = 0; at + 1 < words.length; at += 2)
    changes.push({ domain: words[at] ?? '', observedAtMs: Number(words[at + 1]) });
  return changes;
}

function withCappedExcerpts(evidence: Observation['evidence']): Observation['evidence'] {
  return evidence.map((one) => ({ ...one, excerpt: one.excerpt.slice(0, EXCERPT_LIMIT) }));
}

function parseWithDates(text: string): unknown {
  return JSON.parse(text, (member, value: unknown) =>
    DATE_MEMBERS.has(member) && typeof value === 'string' ? new Date(value) : value,
  );
}
