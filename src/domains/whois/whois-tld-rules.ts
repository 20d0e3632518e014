import { TLDS_WITHOUT_EXPIRY } from '../domain/tld-rules.js';
import type { ReleasePeriod } from '../domain/lifecycle/release-periods.js';
import type { DateOrder } from './whois-date.js';

export interface WhoisTldRules {
  /** The query; `{name}` stands for the A-label form. */
  readonly query: string;
  /** The charset of answers that are not UTF-8. */
  readonly charset?: string;
  /**
   * The order of day and month in dates; null if unknown. Then 03/04/2027 is readable only if another date, such as
   * 27/05/1999, shows the order.
   */
  readonly dateOrder: DateOrder | null;
  /** Matches a status that contains the expiry date. The first group of the pattern is the date. */
  readonly statusExpiry?: RegExp;
  /** Matches a whole sentence, in lower case, that means "available" at this registry, but not at others. */
  readonly notFoundSentence?: RegExp;
  /** Whether `notFoundSentence` must be the only sentence, because the registry also sends it with records. */
  readonly isNotFoundOnlyAlone?: true;
  /** false if the registry never publishes an expiry date; null if unknown. */
  readonly publishesExpiry: false | null;
  /**
   * Matches a sentence, in lower case, that means "nobody can register this name" at this registry, but not at others.
   */
  readonly reservedSentence?: RegExp;
  /** The registry's own words for a name that is being deleted. */
  readonly quarantine: readonly Quarantine[];
  /** Matches the status, in lower case, of a deleted name that only some people may register. */
  readonly release?: { readonly status: RegExp; readonly period: ReleasePeriod['id'] };
  /** Matches the registry's own status, in lower case, for a registered name. */
  readonly takenStatus?: RegExp;
  readonly releaseDate?: ReleaseDate;
}

interface ReleaseDate {
  readonly label: string;
  /** When the registry releases the first names on the stated date, in hours from 00:00 UTC. May be negative. */
  readonly fromHour: number;
}

interface Quarantine {
  /** Matches a status (lower case) or a sentence. */
  readonly words: RegExp;
  /** `redemption` if the holder can still restore the name. */
  readonly phase: 'redemption' | 'pending_delete';
}

type PartialRules = Partial<Omit<WhoisTldRules, 'publishesExpiry'>>;
const rulesForTlds = (tlds: string, rules: PartialRules): (readonly [string, PartialRules])[] =>
  tlds.split(' ').map((tld) => [tld, rules]);

/** Query syntax; source: the Debian whois client 5.6.6 (2026-02) and the adapters of domainr/whois (2026-07). */
const QUERIES = [
  ...rulesForTlds('de', { query: '-T dn,ace {name}' }),
  // Without `=`, Verisign returns every object, including hosts, whose name starts with the query.
  ...rulesForTlds('com net cc tv jobs bz name', { query: '={name}' }),
  ...rulesForTlds('jp', { query: '{name}/e' }),
  ...rulesForTlds('dk', { query: '--charset=utf-8 {name}' }),
  ...rulesForTlds('cat museum', { query: '-C UTF-8 {name}' }),
];
/** Charsets of answers that are not UTF-8. Source: the charset list of the Debian whois client 5.6.6 (2026-02). */
const CHARSETS = [
  ...rulesForTlds('br hu is no', { charset: 'iso-8859-1' }),
  ...rulesForTlds('kg', { charset: 'windows-1251' }),
];
/** Sources: Freenom's `Record will expire on: 06/27/2018`, and fixtures of several WHOIS libraries. */
const DATE_ORDERS = [
  ...rulesForTlds('tk cf ga gq ml', { dateOrder: 'month-first' }),
  ...rulesForTlds('pt im sm tn fr re pm tf wf yt pf nc', { dateOrder: 'day-first' }),
] satisfies (readonly [string, PartialRules])[];
/**
 * Below co.jp and the like, the date in brackets after the status is the expiry (weppos/whois#301;
 * likexian/whois-parser#95).
 */
const STATUS_EXPIRIES = [
  ...rulesForTlds('jp', { statusExpiry: /^(?:connected|registered)\s*[(（](\d{4}\/\d{2}\/\d{2})[)）]/i }),
];
/** These sentences mean "not found" only at these registries. Source: answers for names known to be available. */
const NOT_FOUND_SENTENCES = [
  ...rulesForTlds('tk cf ga gq ml', {
    notFoundSentence: /^invalid query or domain name not known in dot \w+ domain registry$/,
  }),
  ...rulesForTlds('lk', { notFoundSentence: /^this domain is not available in our whois database$/ }),
  // The server of .md does not repeat the name here (weppos/whois-parser's fixture of whois.nic.md).
  ...rulesForTlds('md', { notFoundSentence: /^no match for$/, isNotFoundOnlyAlone: true }),
  // NIC Bolivia adds this sentence to records too (seen in answers that github.com/patramsey/plat collected, 2026-09).
  ...rulesForTlds('bo', { notFoundSentence: /^@other solo acepta consultas con dominios$/, isNotFoundOnlyAlone: true }),
] satisfies (readonly [string, PartialRules])[];
/**
 * Sources: SIDN and EURid (40 days of quarantine, in which the holder can restore the name). Further sources: the .nz
 * registry (90 days pending release), DNS Belgium's life cycle, CIRA's WHOIS statuses, Nominet's registration statuses.
 */
const QUARANTINE_WORDS = [
  ...rulesForTlds('nl eu be lu lt', { quarantine: [{ words: /\bquarantine\b/, phase: 'redemption' }] }),
  ...rulesForTlds('ca', {
    quarantine: [
      { words: /^redemption$/, phase: 'redemption' },
      { words: /^to be released$/, phase: 'pending_delete' },
    ],
  }),
  ...rulesForTlds('uk wales cymru', {
    quarantine: [
      { words: /\bno longer required\b/, phase: 'redemption' },
      { words: /\bto be suspended\b/, phase: 'redemption' },
    ],
  }),
  ...rulesForTlds('nz', { quarantine: [{ words: /\bpending ?release\b/, phase: 'redemption' }] }),
  ...rulesForTlds('it', {
    quarantine: [
      { words: /^(?:redemption|no-provider|redemption-no-provider|inactive \/ no-?provider)$/, phase: 'redemption' },
      { words: /^pending-delete$/, phase: 'pending_delete' },
    ],
  }),
] satisfies (readonly [string, PartialRules])[];
/** The winner of the auction for a deleted name pays, then registers the name (internetee/registry#874). */
const RELEASES = rulesForTlds('ee', {
  release: { status: /^(?:pending|awaiting) ?(?:payment|registration)$/, period: 'auction' },
});
/**
 * The answer for a name such as `doe.name` if other people have names below `doe.name` (likexian/whois-parser#81;
 * domainr/whois#20).
 */
const RESERVED_SENTENCES = rulesForTlds('name', {
  reservedSentence: /^not available for second level registration\b/,
});
/** `failed` means registered, but not in the zone (home-assistant/core#148268, DENIC's list of statuses). */
const TAKEN_STATUSES = rulesForTlds('de', { takenStatus: /^failed$/ });
/**
 * The label of the date on which the registry releases a name. Until then, the name may still have a holder. Sources:
 * nic.ru, "Domain deactivation and deletion"; internetee/registry#812; louislam/uptime-kuma#7452 (2026-08);
 * support.loopia.se, "Regler för .se-domäner i karantän".
 */
const RELEASE_DATES = [
  // -3: the day begins at 21:00 UTC the day before in Moscow, and in summer in Tallinn and Helsinki.
  ...rulesForTlds('ru su xn--p1ai', { releaseDate: { label: 'free date', fromHour: -3 } }),
  ...rulesForTlds('ee', { releaseDate: { label: 'delete', fromHour: -3 } }),
  ...rulesForTlds('fi', { releaseDate: { label: 'available', fromHour: -3 } }),
  ...rulesForTlds('se nu', { releaseDate: { label: 'date to release', fromHour: 4 } }),
];
const RULES_BY_TLD = new Map<string, PartialRules>();
const TABLES = [
  [QUERIES, CHARSETS, DATE_ORDERS, NOT_FOUND_SENTENCES],
  [STATUS_EXPIRIES, TAKEN_STATUSES, QUARANTINE_WORDS, RESERVED_SENTENCES, RELEASES, RELEASE_DATES],
];
for (const [tld, facts] of TABLES.flat(2)) RULES_BY_TLD.set(tld, { ...RULES_BY_TLD.get(tld), ...facts });

export function whoisRulesFor(tld: string): WhoisTldRules {
  const publishesExpiry = TLDS_WITHOUT_EXPIRY.has(tld) ? false : null;
  return { query: '{name}', dateOrder: null, publishesExpiry, quarantine: [], ...RULES_BY_TLD.get(tld) };
}
