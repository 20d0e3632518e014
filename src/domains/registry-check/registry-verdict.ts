import type { EvidenceSource, LookupErrorCode, LookupFailure, LookupResult } from '../domain/lookup/lookup-result.js';

/** The names that a check asks about: `nic.<tld>` and a known name should exist, a random name should not. */
export type ProbeRole = 'nic' | 'random' | 'known';

export interface ProbeAnswer {
  readonly role: ProbeRole;
  readonly domain: string;
  readonly source: EvidenceSource;
  readonly result: LookupResult;
}

/** `unproven`: no record was found of any name, but perhaps none of these names exists. */
export const REGISTRY_STATES = ['works', 'throttled', 'unusable', 'contradictory', 'unproven'] as const;
type RegistryState = (typeof REGISTRY_STATES)[number];

export interface RegistryVerdict {
  readonly state: RegistryState;
  /** The explanation of the state; empty if none is needed. */
  readonly reason: string;
}

/**
 * If only the second source fails, the state stays `works`, with that failure as the reason.
 * @param answers all answers, with the answers of the authoritative source first
 */
export function judgeRegistry(answers: readonly ProbeAnswer[]): RegistryVerdict {
  const [first] = answers;
  if (!first) return { state: 'unusable', reason: 'no RDAP or WHOIS server is known' };
  const contradiction = findContradiction(answers);
  if (contradiction !== null) return { state: 'contradictory', reason: contradiction };
  const authoritative = answers.filter(({ source }) => source === first.source);
  const failed = authoritative.find(({ result }) => result.kind === 'failure');
  if (failed?.result.kind === 'failure') return toFailureVerdict(failed, failed.result);
  if (!authoritative.some(isPresent))
    return { state: 'unproven', reason: `no record of ${first.domain}, and no other name is known to exist` };
  const second = answers.find(({ source, result }) => source !== first.source && result.kind === 'failure');
  return { state: 'works', reason: second?.result.kind === 'failure' ? describe(second, second.result) : '' };
}

/** Returns a sentence about answers that cannot all be true, or null. */
function findContradiction(answers: readonly ProbeAnswer[]): string | null {
  for (const present of answers.filter(isPresent)) {
    if (present.role === 'random') return `${sayer(present)} has a record of ${present.domain}, a random name`;
    const denying = answers.find((other) => other.domain === present.domain && isAbsent(other));
    if (denying) return `${sayer(present)} has a record of ${present.domain}, ${sayer(denying)} has none`;
  }
  const denying = answers.find((answer) => answer.role === 'known' && isAbsent(answer));
  return denying ? `${sayer(denying)} has no record of ${denying.domain}, which exists` : null;
}

/** Whether the registry has a record or a reservation of the name. */
function isPresent({ result }: ProbeAnswer): boolean {
  return result.kind === 'observation' && result.facts.outcome !== 'absent';
}

function isAbsent({ result }: ProbeAnswer): boolean {
  return result.kind === 'observation' && result.facts.outcome === 'absent';
}

function toFailureVerdict(answer: ProbeAnswer, failure: LookupFailure): RegistryVerdict {
  const state = failure.code === 'registry_throttled' ? 'throttled' : 'unusable';
  return { state, reason: describe(answer, failure) };
}

const WHAT_FAILED: Readonly<Record<LookupErrorCode, string>> = {
  registry_unreachable: 'cannot be reached',
  registry_timeout: 'does not answer in time',
  registry_throttled: 'wants fewer queries',
  registry_answer_unusable: 'gives an answer that no rule knows',
  tld_unsupported: 'does not serve the TLD',
};

const MAX_QUOTED = 100;

function describe(answer: ProbeAnswer, { code, evidence, retryAfterSeconds, notSent }: LookupFailure): string {
  const wait = retryAfterSeconds === null || notSent ? '' : ` for ${retryAfterSeconds} s`;
  const last = evidence.at(-1);
  const details = last ? ` (${last.rule}: ${last.excerpt.slice(0, MAX_QUOTED)})` : '';
  return `${sayer(answer)} ${notSent ? 'was not asked' : WHAT_FAILED[code]}${wait}${details}`;
}

function sayer({ source }: ProbeAnswer): string {
  return source.toUpperCase();
}
