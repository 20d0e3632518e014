import type { DomainName } from './name/domain-name.js';
import type { RegistrationFacts } from './lifecycle/registration-facts.js';
import type { ReleasePeriod } from './lifecycle/release-periods.js';

/** How the registry of a TLD differs from others. If a member is missing, no such difference is known. */
export interface TldRule {
  /** The registry publishes no expiry date, by RDAP or WHOIS. */
  readonly publishesExpiry?: false;
  /** The registry of the TLD also holds the names below second levels such as `ac`, `gov` and `mil`. */
  readonly servesDelegatedSecondLevels?: true;
  /** Second levels below which another registry registers names. The registry of the TLD does not know these names. */
  readonly foreignSecondLevels?: RegExp;
  /** RDAP leaves out the expiry date, but WHOIS has it. */
  readonly hasExpiryInWhois?: true;
  /** The registry also registers names such as `jane.doe.name`, as long as nobody has `doe.name`. */
  readonly registersThirdLevel?: true;
  /** If an RDAP record contains only the name, the name is in this release period. */
  readonly bareRecord?: ReleasePeriod['id'];
}

const WITHOUT_EXPIRY: TldRule = { publishesExpiry: false };
const SERVES_ALL: TldRule = { servesDelegatedSecondLevels: true };

/**
 * The rules by TLD, explained in {@link TldRule}. Sources:
 * - `publishesExpiry`: answers of de, be, nl, eu, hu and ch; downing-labs/domain-expiry#3 for au (auDA leaves it out by
 *   RFC 9537); Norid's RDAP documents for no; Lissy93/domain-locker#81 and richardpenman/whois#68 for the rest.
 * - `hasExpiryInWhois`: louislam/uptime-kuma#7452 (2026-08-03).
 * - `servesDelegatedSecondLevels`: the registries' records of edu.au, gov.au, edu.br, gob.ar, go.id, ac.jp, go.jp and
 *   gov.om; InternetNZ for nz.
 * - `foreignSecondLevels`: RFC 1480 §2 for us; CIRA's answers "not found" for existing names below gc.ca; whois.in.ua;
 *   NIC Uruguay for com.uy; whois.smallregistry.net for professions of fr.
 * - `registersThirdLevel`: verisign.com, ".name FAQ"; publicsuffix/list#468 and #2306.
 * - `bareRecord`: jakejarvis/rdapper#20 (2025-10-27).
 */
const RULES: Readonly<Record<string, TldRule>> = {
  ar: SERVES_ALL,
  at: WITHOUT_EXPIRY,
  au: { ...WITHOUT_EXPIRY, ...SERVES_ALL },
  be: WITHOUT_EXPIRY,
  br: { ...SERVES_ALL, bareRecord: 'release_process' },
  ca: { foreignSecondLevels: /^gc$/ },
  ch: WITHOUT_EXPIRY,
  de: WITHOUT_EXPIRY,
  eu: WITHOUT_EXPIRY,
  fi: { hasExpiryInWhois: true },
  fr: { foreignSecondLevels: /^(?!(?:asso|com|gouv|nom|prd|tm)$)/ },
  gr: WITHOUT_EXPIRY,
  hu: WITHOUT_EXPIRY,
  id: SERVES_ALL,
  jp: SERVES_ALL,
  li: WITHOUT_EXPIRY,
  lv: WITHOUT_EXPIRY,
  name: { registersThirdLevel: true },
  nl: WITHOUT_EXPIRY,
  no: WITHOUT_EXPIRY,
  nz: SERVES_ALL,
  om: SERVES_ALL,
  ua: { foreignSecondLevels: /^in$/ },
  us: { foreignSecondLevels: /./ },
  uy: { foreignSecondLevels: /^com$/ },
};

export const TLD_RULES: ReadonlyMap<string, TldRule> = new Map(Object.entries(RULES));

export const TLDS_WITHOUT_EXPIRY: ReadonlySet<string> = new Set(
  [...TLD_RULES].filter(([, { publishesExpiry }]) => publishesExpiry === false).map(([tld]) => tld),
);

/** Whether the name's registry publishes expiry dates; null if unknown. */
export function publishesExpiry({ registry }: DomainName, facts: RegistrationFacts): boolean | null {
  if (facts.expiresAt) return true;
  return TLDS_WITHOUT_EXPIRY.has(registry) ? false : facts.publishesExpiry;
}
