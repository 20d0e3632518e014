import type { ChangedName } from './lookup-coordinator.js';
import { type LookupFailure, MAX_EXCERPT_LENGTH, type Observation } from '../domain/lookup/lookup-result.js';

const DATE_MEMBERS = new Set(['observedAt', 'registeredAt', 'expiresAt', 'releasesAt', 'lastTransferAt']);

/** An observation as two JSON texts, so that a change of the facts is visible. */
export interface SerializedObservation {
  readonly facts: string;
  /** All but the facts. */
  readonly observation: string;
}

export function serializeObservation({ facts, ...rest }: Observation): SerializedObservation {
  const observation = { ...rest, evidence: withCappedExcerpts(rest.evidence) };
  return { facts: JSON.stringify(facts), observation: JSON.stringify(observation) };
}

export function parseObservation({ facts, observation }: SerializedObservation): Observation {
  return { ...(parseWithDates(observation) as Observation), facts: parseWithDates(facts) as Observation['facts'] };
}

/** Leaves out the absence that was vetoed: only the watch whose lookup it was may build on that. */
export function serializeFailure(failure: LookupFailure): string {
  const { dnsVetoed: _vetoed, delegatedAt: _delegatedAt, ...stored } = failure;
  return JSON.stringify({ ...stored, evidence: withCappedExcerpts(stored.evidence) });
}

export function parseFailure(text: string): LookupFailure {
  return parseWithDates(text) as LookupFailure;
}

/** @param text names and milliseconds since 1970 in turn, with a space between them */
export function parseChanges(text: string): ChangedName[] {
  const words = text.split(' ');
  const changes: ChangedName[] = [];
  for (let at = 0; at + 1 < words.length; at += 2)
    changes.push({ domain: words[at] ?? '', observedAtMs: Number(words[at + 1]) });
  return changes;
}

/** Excerpts are capped when they are created, and once more before they are stored. */
function withCappedExcerpts(evidence: Observation['evidence']): Observation['evidence'] {
  return evidence.map((one) => ({ ...one, excerpt: one.excerpt.slice(0, MAX_EXCERPT_LENGTH) }));
}

function parseWithDates(text: string): unknown {
  return JSON.parse(text, (member, value: unknown) =>
    DATE_MEMBERS.has(member) && typeof value === 'string' ? new Date(value) : value,
  );
}
