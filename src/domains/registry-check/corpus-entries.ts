import type { ProbeAnswer } from './registry-verdict.js';
import { DomainName } from '../domain/name/domain-name.js';
import { maskAnswer, type RegistryReply } from './mask-answer.js';
import type { RecordedAnswer, RegistryReport } from './registry-check.js';

/** A line of a corpus (recorded answers for tests). The answer contains no personal data. */
interface CorpusEntry {
  readonly id: string;
  readonly kind: RegistryReply['protocol'];
  readonly host: string;
  readonly tld: string;
  readonly domain: string;
  readonly role: ProbeAnswer['role'];
  readonly asked_at: string;
  readonly http_status: number | null;
  readonly content_type: string | null;
  readonly answer: string;
  readonly expect: Expectation | null;
}

interface Expectation {
  readonly accept: readonly string[];
  readonly expires_at: null;
  readonly expires_stated: 'unstated';
  readonly expires_precision: null;
}

export interface CorpusPart {
  readonly entries: readonly CorpusEntry[];
  /** How many answers were left out, because masking personal data would change their meaning. */
  readonly leftOut: number;
}

/** Makes corpus entries of recorded answers. A query without a complete answer makes no entry. */
export function toCorpusEntries({ tld, answers }: RegistryReport): CorpusPart {
  const recorded = answers.flatMap((answer) => (answer.reply ? [toEntry(tld, answer, answer.reply)] : []));
  const entries = recorded.filter((entry) => entry !== null);
  return { entries, leftOut: recorded.length - entries.length };
}

function toEntry(tld: string, answer: RecordedAnswer, reply: RegistryReply): CorpusEntry | null {
  const { role, domain, server, result } = answer;
  const masked = maskAnswer(DomainName.restore(domain), reply);
  if (masked === null) return null;
  const [http_status, content_type] =
    reply.protocol === 'rdap' ? [reply.status, toKnownMediaType(reply.mediaType)] : [null, null];
  const about = { id: `${domain}/${reply.protocol}`, kind: reply.protocol, host: server, tld, domain, role };
  const asked_at = result.observedAt.toISOString();
  return { ...about, asked_at, http_status, content_type, answer: masked, expect: toExpectation(answer) };
}

/** Replaces unknown media types by `other`, because they could contain any text. */
function toKnownMediaType(mediaType: string): string {
  return ['application/rdap+json', 'application/json', 'text/html', ''].includes(mediaType) ? mediaType : 'other';
}

const TAKEN = ['registered', 'pending_delete', 'reserved'];

/** Returns the acceptable conclusions about a name; null if the right conclusion is not known for certain. */
function toExpectation({ role, result }: ProbeAnswer): Expectation | null {
  const accept = acceptedVerdicts(role, result);
  return accept && { accept, expires_at: null, expires_stated: 'unstated', expires_precision: null };
}

function acceptedVerdicts(role: ProbeAnswer['role'], result: ProbeAnswer['result']): readonly string[] | null {
  if (result.kind === 'failure') {
    if (result.code === 'registry_throttled') return ['unknown'];
    return role === 'known' ? [...TAKEN, 'unknown'] : null;
  }
  const isAbsent = result.facts.outcome === 'absent';
  if (role === 'known') return TAKEN;
  if (role === 'nic') return isAbsent ? null : TAKEN;
  return isAbsent ? ['available'] : null;
}
