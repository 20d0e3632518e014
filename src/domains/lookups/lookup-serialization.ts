import { MAX_EXCERPT_LENGTH, type Observation } from '../domain/lookup/lookup-result.js';

const DATE_MEMBERS = new Set(['observedAt', 'registeredAt', 'expiresAt', 'releasesAt', 'lastTransferAt']);

/** An observation as two JSON texts, so that SQL can compare the facts. */
export interface SerializedObservation {
  readonly facts: string;
  /** Everything except the facts. */
  readonly observation: string;
}

export function serializeObservation({ facts, ...rest }: Observation): SerializedObservation {
  const observation = { ...rest, evidence: withCappedExcerpts(rest.evidence) };
  return { facts: JSON.stringify(facts), observation: JSON.stringify(observation) };
}

export function parseObservation({ facts, observation }: SerializedObservation): Observation {
  return { ...(parseWithDates(observation) as Observation), facts: parseWithDates(facts) as Observation['facts'] };
}

function withCappedExcerpts(evidence: Observation['evidence']): Observation['evidence'] {
  return evidence.map((one) => ({ ...one, excerpt: one.excerpt.slice(0, MAX_EXCERPT_LENGTH) }));
}

function parseWithDates(text: string): unknown {
  return JSON.parse(text, (member, value: unknown) =>
    DATE_MEMBERS.has(member) && typeof value === 'string' ? new Date(value) : value,
  );
}
