import { isBeingDeleted } from '../../src/domains/domain/lifecycle.js';
import type { RegistrationFacts } from '../../src/domains/domain/registration.js';
import type { DomainName } from '../../src/domains/domain/domain-name.js';
import type { Look } from '../../src/domains/domain/look.js';
import { withinZoneOfRegistry } from '../../src/domains/domain/zone-of-registry.js';
import { mediaTypeOf } from '../../src/domains/infrastructure/http-exchange.js';
import { rdapLookOf } from '../../src/domains/infrastructure/rdap-lookup.js';
import { readRdap } from '../../src/domains/infrastructure/rdap-response.js';
import { whoisLookOf } from '../../src/domains/infrastructure/whois/whois-lookup.js';
import { readWhois } from '../../src/domains/infrastructure/whois/whois-response.js';
import { answerOf, type Entry, type Verdict } from './entry.js';
import { nameAsked } from './name-asked.js';

const DAY = 86_400_000;
/** A name is told near the top; bytes. */
const LONGEST = 200_000;

/** What the engine made of one answer. */
export interface Judgement {
  readonly entry: Entry;
  readonly domain: string;
  readonly verdict: Verdict;
  readonly rule: string;
  readonly expiresAt: Date | null;
  /** null: nobody has judged this answer. */
  readonly isRight: boolean | null;
  readonly isFalselyAvailable: boolean;
  /** null: the set does not say what would be right. */
  readonly isExpiryRight: boolean | null;
}

/** Reads one answer as production would. */
export function judge(folder: string, entry: Entry): Judgement {
  const body = answerOf(folder, entry);
  const name = nameAsked(entry, body.toString('utf8', 0, LONGEST));
  const look = lookOf(entry, name, body);
  const verdict = look.kind === 'proof' ? verdictOf(look.facts) : 'unknown';
  const expiresAt = look.kind === 'proof' ? look.facts.expiresAt : null;
  const isAccepted = entry.expect ? entry.expect.accept.includes(verdict) : null;
  return {
    entry,
    domain: name.ascii,
    verdict,
    rule: look.evidence[0]?.rule ?? 'none',
    expiresAt,
    isRight: isAccepted,
    isFalselyAvailable: verdict === 'available' && isAccepted === false,
    isExpiryRight: isExpiryRight(entry, expiresAt),
  };
}

function lookOf(entry: Entry, name: DomainName, body: Buffer): Look {
  const [now, server] = [new Date(), entry.host ?? 'unknown'];
  const look =
    entry.kind === 'whois'
      ? whoisLookOf(readWhois(name, body), server, now)
      : rdapLookOf(readRdap(name, replyOf(entry, body), now), server, entry.http_status ?? 200, now);
  return isOfZoneItself(entry, name) ? look : withinZoneOfRegistry(name, look);
}

/** What is filed under ac.uk was said by whoever answers for ac.uk, and not by the registry of .uk, who is asked in production. */
function isOfZoneItself({ zone }: Entry, { ascii }: DomainName): boolean {
  return zone === ascii.slice(ascii.indexOf('.') + 1);
}

function replyOf({ http_status, content_type }: Entry, body: Buffer) {
  const mediaType = mediaTypeOf(content_type ?? 'application/rdap+json');
  return { kind: 'reply', status: http_status ?? 200, mediaType, location: null, retryAfter: null, body } as const;
}

function verdictOf(facts: RegistrationFacts): Verdict {
  if (facts.outcome === 'absent') return 'available';
  if (facts.outcome === 'reserved') return 'reserved';
  return isBeingDeleted(facts) ? 'pending_delete' : 'registered';
}

/** To the day, unless the set knows the second: its sources shift zones. */
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
