import type { LookFailure, Proof } from '../domain/look.js';

/** Evidence is capped where it is made; here once more, before it is stored. */
const EXCERPT_LIMIT = 500;
const INSTANTS = new Set(['observedAt', 'registeredAt', 'expiresAt']);

/** A proof as two texts, so that a change of the facts can be told from a new look at the same ones. */
export interface ProofTexts {
  readonly facts: string;
  readonly proof: string;
}

export function textsOf({ facts, evidence, ...rest }: Proof): ProofTexts {
  return { facts: JSON.stringify(facts), proof: JSON.stringify({ ...rest, evidence: capped(evidence) }) };
}

export function proofOf({ facts, proof }: ProofTexts): Proof {
  return { ...(read(proof) as Omit<Proof, 'facts'>), facts: read(facts) as Proof['facts'] };
}

/** Without the absence that was vetoed: nobody but the look's own watch may build on that. */
export function failureText({ vetoed: _vetoed, evidence, ...failure }: LookFailure): string {
  return JSON.stringify({ ...failure, evidence: capped(evidence) });
}

export function failureOf(text: string): LookFailure {
  return read(text) as LookFailure;
}

function capped(evidence: Proof['evidence']): Proof['evidence'] {
  return evidence.map((one) => ({ ...one, excerpt: one.excerpt.slice(0, EXCERPT_LIMIT) }));
}

function read(text: string): unknown {
  return JSON.parse(text, (member, value: unknown) =>
    INSTANTS.has(member) && typeof value === 'string' ? new Date(value) : value,
  );
}
