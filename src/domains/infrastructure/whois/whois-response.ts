import type { DomainName } from '../../domain/domain-name.js';
import type { LookFailureCode } from '../../domain/look.js';
import {
  absent,
  found,
  inReleasePeriod,
  premium,
  type RegistrationFacts,
  reserved,
} from '../../domain/registration.js';
import { releasePeriodIn } from '../../domain/release-period.js';
import { absenceIn, isFreeStatus } from './absence-wording.js';
import { soundsTroubled } from './whois-doubt.js';
import { excerptOf } from './whois-excerpt.js';
import { fieldsOf } from './whois-fields.js';
import { recordOf, type WhoisRecord } from './whois-record.js';
import { registryOf, type WhoisRegistry } from './whois-registries.js';
import { secondsIn } from './spoken-wait.js';
import { type Statement, statementsOf } from './whois-statement.js';
import { flawIn, linesOf, textOfAnswer } from './whois-text.js';
import { premiumIn, refusalIn, reservationIn, throttlingIn } from './whois-wording.js';

/** What one answer means, and the id of the rule that says so. */
export type WhoisReading = { readonly rule: string; readonly excerpt: string } & (
  | { readonly kind: 'facts'; readonly facts: RegistrationFacts }
  | { readonly kind: 'failure'; readonly code: LookFailureCode; readonly retryAfterSeconds: number | null }
);
interface Verdict {
  readonly rule: string;
  readonly said: { readonly facts: RegistrationFacts } | { readonly code: LookFailureCode };
  /** The sentence that the rule matched. */
  readonly matched?: Statement | undefined;
}
interface Answer {
  readonly statements: readonly Statement[];
  readonly record: WhoisRecord;
  readonly registry: WhoisRegistry;
}

/**
 * Reads a registry's answer to a query for exactly this name: limits, refusals and errors first, then reservation,
 * then absence, then the record. An absence is believed only where a rule allows it and no fact of a registration
 * contradicts; whatever no rule knows is a failure, never a status.
 */
export function readWhois(name: DomainName, body: Buffer): WhoisReading {
  const registry = registryOf(name.tld);
  const text = textOfAnswer(body, registry.charset);
  const flaw = flawIn(text);
  if (flaw) {
    const excerpt = `${body.length} bytes`;
    return {
      kind: 'failure',
      rule: `whois.${flaw}`,
      excerpt,
      code: 'registry_answer_unusable',
      retryAfterSeconds: null,
    };
  }
  const lines = linesOf(text);
  const statements = statementsOf(lines, name);
  const record = recordOf(fieldsOf(lines), statements, name, registry);
  const { rule, said, matched } = verdictOf({ statements, record, registry });
  const excerpt = excerptOf(record, matched ?? null, statements);
  return 'facts' in said
    ? { kind: 'facts', rule, excerpt, facts: said.facts }
    : { kind: 'failure', rule, excerpt, code: said.code, retryAfterSeconds: secondsIn(matched?.text ?? '') };
}

function verdictOf(answer: Answer): Verdict {
  const { statements, record } = answer;
  if (statements.length === 0) return unusable('whois.empty');
  const throttling = throttlingIn(statements);
  if (throttling)
    return {
      rule: `whois.throttled.${throttling[0].id}`,
      said: { code: 'registry_throttled' },
      matched: throttling[1],
    };
  if (record.about === 'other') return unusable('whois.other_name');
  return readBeforeRecord(answer) ?? readRecord(answer);
}

/** A record with two kinds of facts is a registration, whatever its remarks say of other things. */
const CERTAIN = 2;

function readBeforeRecord({ statements, record, registry }: Answer): Verdict | null {
  const own = statements.find(({ words }) => registry.absence?.test(words));
  const isAlone = !registry.isAbsenceAlone || statements.length === 1;
  if (own && isAlone && record.strength === 0 && record.statusesOfAll.length === 0)
    return soundsTroubled(statements.filter((each) => each !== own))
      ? unusable('whois.contradiction', own)
      : free('registry', statements, own);
  if (record.strength >= CERTAIN) return null;
  const refusal = refusalIn(statements);
  if (refusal) return unusable(`whois.refused.${refusal[0].id}`, refusal[1]);
  const released = releaseIn(statements);
  if (released && record.strength === 0) return released;
  const keptBack = record.statuses.find((status) => KEPT_BACK.test(status));
  if (keptBack !== undefined) return { rule: 'whois.reserved.status', said: { facts: reserved } };
  const reservation = reservationIn(statements);
  if (reservation && record.statuses.some(isFreeStatus)) return unusable('whois.contradiction', reservation[1]);
  if (reservation)
    return { rule: `whois.reserved.${reservation[0].id}`, said: { facts: reserved }, matched: reservation[1] };
  return readAbsence(record, statements);
}

function releaseIn(statements: readonly Statement[]): Verdict | null {
  for (const matched of statements) {
    const period = releasePeriodIn(matched.words);
    if (period) return { rule: `whois.released.${period.id}`, said: { facts: inReleasePeriod(period.id) }, matched };
  }
  return null;
}

function readAbsence(record: WhoisRecord, statements: readonly Statement[]): Verdict | null {
  const isFree = record.statuses.some(isFreeStatus);
  if (isFree && !record.statusesOfAll.every(isFreeStatus)) return unusable('whois.contradiction');
  const absence = absenceIn(statements);
  if (!isFree && !absence) return null;
  if (contradicts(record, isFree) || soundsTroubled(statements)) return unusable('whois.contradiction', absence?.[1]);
  // A status of nobody named could be that of the service.
  if (isFree && !absence && record.about !== 'asked') return unusable('whois.unclassified');
  return isFree ? free('status', statements) : free(absence?.[0] ?? '', statements, absence?.[1]);
}

/** Answers for free names have six labels at most; a record whose words nobody here knows has more. */
const LABELS_OF_A_RECORD = 10;

function contradicts({ strength, statusesOfAll, labels }: WhoisRecord, isFree: boolean): boolean {
  return strength > 0 || labels >= LABELS_OF_A_RECORD || (!isFree && statusesOfAll.length > 0);
}

function free(id: string, statements: readonly Statement[], matched?: Statement): Verdict {
  const facts = premiumIn(statements) ? premium : absent;
  return { rule: `whois.absent.${id}`, said: { facts }, matched };
}

function readRecord({ statements, record, registry }: Answer): Verdict {
  if (record.about === 'unnamed' && !isWhole(record)) return unusable('whois.unclassified');
  const quarantine = quarantineOf({ statements, record, registry });
  const isTaken = quarantine !== null || record.statuses.some((status) => TAKEN.test(status));
  if (record.strength === 0 && !isTaken) return unusable('whois.unclassified');
  if (record.statuses.some(isFreeStatus) || (record.strength < CERTAIN && absenceIn(statements)))
    return unusable('whois.contradiction');
  const { statuses, registeredAt, expiresAt } = record;
  if (statuses.some((status) => /^reserved$/.test(status)) && !expiresAt)
    return { rule: 'whois.reserved.status', said: { facts: { ...reserved, statuses } } };
  const publishesExpiry = expiresAt ? true : registry.publishesExpiry;
  const facts = found({ statuses, registeredAt, expiresAt, publishesExpiry, quarantine });
  return { rule: quarantine ? 'whois.found.quarantine' : 'whois.found', said: { facts } };
}

function quarantineOf({ statements, record, registry }: Answer): RegistrationFacts['quarantine'] {
  const said = [...record.statuses, ...statements.filter(({ isProse }) => !isProse).map(({ words }) => words)];
  return registry.quarantine.find(({ words }) => said.some((each) => words.test(each)))?.phase ?? null;
}

/** Some leave the name out; a record with dates and more, given for this one name, can be about no other. */
function isWhole({ strength, registeredAt, expiresAt }: WhoisRecord): boolean {
  return strength > CERTAIN || (strength === CERTAIN && (registeredAt ?? expiresAt) !== null);
}

const KEPT_BACK =
  /^(?:\d{3} )?(?:reserved|blocked|prohibited|forbidden|restricted|unassignable|not allowed|unavailable|ineligible|banned|not for registration|registry reserved|reserved (?:name|domain)|prohibited string)\b/;
/** Statuses that say by themselves that somebody has the name. */
const TAKEN =
  /^(?:\d{3} )?(?:active|registered|not available|taken|in use|delegated|connect(?:ed)?|granted|published|ok|quarantine|in quarantine|.*prohibited|.*hold|.*period|pending .*|deactivated|suspended|expired)\b/;

function unusable(rule: string, matched?: Statement): Verdict {
  return { rule, said: { code: 'registry_answer_unusable' }, matched };
}
