import { isBeingDeleted } from '../../../src/domains/domain/lifecycle/lifecycle.js';
import type { RegistrationFacts } from '../../../src/domains/domain/lifecycle/registration-facts.js';
import type { DomainName } from '../../../src/domains/domain/name/domain-name.js';
import { type LookupResult, toLookupResult } from '../../../src/domains/domain/lookup/lookup-result.js';
import { rejectOutOfZoneAbsence } from '../../../src/domains/domain/lookup/registry-zone.js';
import { parseMediaType } from '../../../src/domains/transport/registry-http-client.js';
import { parseRdapResponse } from '../../../src/domains/rdap/rdap-response-parser.js';
import { parseWhoisResponse } from '../../../src/domains/whois/whois-response-parser.js';
import { readAnswer, type Entry, type Verdict } from './entry.js';
import { queriedName } from './queried-name.js';

const DAY = 86_400_000;
/** The queried name is searched only in the beginning of an answer. */
const MAX_NAME_SEARCH_BYTES = 200_000;

/** The result for one answer. */
export interface Judgement {
  readonly entry: Entry;
  readonly domain: string;
  readonly verdict: Verdict;
  readonly rule: string;
  readonly expiresAt: Date | null;
  /** null if the corpus does not know the right result. */
  readonly isRight: boolean | null;
  readonly isFalselyAvailable: boolean;
  /** null if the corpus does not know the right expiry. */
  readonly isExpiryRight: boolean | null;
}

/** Interprets an answer as the service does. */
export function judgeEntry(folder: string, entry: Entry): Judgement {
  const body = readAnswer(folder, entry);
  const name = queriedName(entry, body.toString('utf8', 0, MAX_NAME_SEARCH_BYTES));
  const result = interpret(entry, name, body);
  const verdict = result.kind === 'observation' ? toVerdict(result.facts) : 'unknown';
  const expiresAt = result.kind === 'observation' ? result.facts.expiresAt : null;
  const isAccepted = entry.expect ? entry.expect.accept.includes(verdict) : null;
  return {
    entry,
    domain: name.ascii,
    verdict,
    rule: result.evidence[0]?.rule ?? 'none',
    expiresAt,
    isRight: isAccepted,
    isFalselyAvailable: verdict === 'available' && isAccepted === false,
    isExpiryRight: isExpiryRight(entry, expiresAt),
  };
}

function interpret(entry: Entry, name: DomainName, body: Buffer): LookupResult {
  const [observedAt, server] = [new Date(), entry.host ?? 'unknown'];
  const isWhois = entry.kind === 'whois';
  const parsed = isWhois ? parseWhoisResponse(name, body) : parseRdapResponse(name, toReply(entry, body), observedAt);
  const httpStatus = isWhois ? null : (entry.http_status ?? 200);
  const result = toLookupResult(parsed, { source: entry.kind, server, httpStatus, observedAt });
  return isAnsweredByZone(entry, name) ? result : rejectOutOfZoneAbsence(name, result);
}

/** Whether the zone's own server answered, such as that of ac.uk. For such names the service asks the server of .uk. */
function isAnsweredByZone({ zone }: Entry, { ascii }: DomainName): boolean {
  return zone === ascii.slice(ascii.indexOf('.') + 1);
}

function toReply({ http_status, content_type }: Entry, body: Buffer) {
  const mediaType = parseMediaType(content_type ?? 'application/rdap+json');
  return { kind: 'reply', status: http_status ?? 200, mediaType, location: null, retryAfter: null, body } as const;
}

function toVerdict(facts: RegistrationFacts): Verdict {
  if (facts.outcome === 'absent') return 'available';
  if (facts.outcome === 'reserved') return 'reserved';
  return isBeingDeleted(facts) ? 'pending_delete' : 'registered';
}

/** Compares the day, or the second if the corpus knows the time zone: its sources shift zones. */
function isExpiryRight({ expect }: Entry, expiresAt: Date | null): boolean | null {
  if (!expect) return null;
  if (['none', 'unsupported'].includes(expect.expires_stated))
    return expect.accept.includes('registered') ? expiresAt === null : null;
  if (expect.expires_stated !== 'value' || expect.expires_at === null) return null;
  if (!expiresAt) return false;
  const zoned = /T.*(?:Z|[+-]\d\d:?\d\d)$/.test(expect.expires_at) || !expect.expires_at.includes('T');
  const distance = Math.abs(expiresAt.getTime() - Date.parse(zoned ? expect.expires_at : `${expect.expires_at}Z`));
  return distance <= (expect.expires_precision === 'datetime' ? 1_000 : DAY);
}
