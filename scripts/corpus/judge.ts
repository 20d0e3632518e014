import { isBeingDeleted } from '../../src/domains/domain/lifecycle.js';
import type { RegistrationFacts } from '../../src/domains/domain/registration.js';
import { readRdap } from '../../src/domains/infrastructure/rdap-response.js';
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

/** Runs one answer through the classifier that production uses. */
export function judge(folder: string, entry: Entry): Judgement {
  const body = answerOf(folder, entry);
  const name = nameAsked(entry, body.toString('utf8', 0, LONGEST));
  const reading = entry.kind === 'rdap' ? readRdap(name, replyOf(entry, body), new Date()) : readWhois(name, body);
  const verdict = reading.kind === 'facts' ? verdictOf(reading.facts) : 'unknown';
  const expiresAt = reading.kind === 'facts' ? reading.facts.expiresAt : null;
  const isAccepted = entry.expect ? entry.expect.accept.includes(verdict) : null;
  return {
    entry,
    domain: name.ascii,
    verdict,
    rule: reading.rule,
    expiresAt,
    isRight: isAccepted,
    isFalselyAvailable: verdict === 'available' && isAccepted === false,
    isExpiryRight: isExpiryRight(entry, expiresAt),
  };
}

function replyOf(entry: Entry, body: Buffer) {
  const status = entry.http_status ?? 200;
  return { kind: 'reply', status, mediaType: 'application/rdap+json', location: null, retryAfter: null, body } as const;
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
