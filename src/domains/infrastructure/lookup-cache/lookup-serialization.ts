import type { LookupFailure, Observation } from '../../domain/lookup/lookup-result.js';

/** Evidence is capped where it is made; here once more, before it is stored. */
const EXCERPT_LIMIT = 500;
const DATE_MEMBERS = new Set(['observedAt', 'registeredAt', 'expiresAt']);

/** A proof as two texts, so that a change of the facts can be told from a new look at the same ones. */
export interface SerializedObservation {
  readonly facts: string;
  readonly proof: string;
}

export function serializeObservation({ facts, evidence, ...rest }: Observation): SerializedObservation {
  return { facts: JSON.stringify(facts), proof: JSON.stringify({ ...rest, evidence: withCappedExcerpts(evidence) }) };
}

export function parseObservation({ facts, proof }: SerializedObservation): Observation {
  return {
    ...(parseWithDates(proof) as Omit<Observation, 'facts'>),
    facts: parseWithDates(facts) as Observation['facts'],
  };
}

/** Without the absence that was vetoed: nobody but the look's own watch may build on that. */
export function serializeFailure({ dnsVetoed: _vetoed, evidence, ...failure }: LookupFailure): string {
  return JSON.stringify({ ...failure, evidence: withCappedExcerpts(evidence) });
}

export function parseFailure(text: string): LookupFailure {
  return parseWithDates(text) as LookupFailure;
}

function withCappedExcerpts(evidence: Observation['evidence']): Observation['evidence'] {
  return evidence.map((one) => ({ ...one, excerpt: one.excerpt.slice(0, EXCERPT_LIMIT) }));
}

function parseWithDates(text: string): unknown {
  return JSON.parse(text, (member, value: unknown) =>
    DATE_MEMBERS.has(member) && typeof value === 'string' ? new Date(value) : value,
  );
}
