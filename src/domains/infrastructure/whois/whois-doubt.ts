import type { Statement } from './whois-statement.js';

/** Of something that may happen, not of something that did. */
export const SUPPOSED = /\b(?:if|when|whenever|once|should|may|might|could|unless|ll|do not)\b/;

/**
 * True when the server also says something that sounds like trouble, in words that no rule above knows: then nothing
 * else it says is believed.
 */
export function soundsTroubled(statements: readonly Statement[]): boolean {
  return statements.some(
    ({ words, isProse }) =>
      !isProse &&
      (TROUBLE.test(words) || OTHERWISE.test(words) || FOREIGN.test(words)) &&
      !SUPPOSED.test(words.replace('could not retrieve', 'failed')),
  );
}

/** What is said of a name that is not simply free: somebody has it, had it, sells it, or may have it before others. */
const OTHERWISE =
  /\b(?:(?:not|no longer) (?:available|free)|available: no|registered: yes|(?:already|domain) registered$|registered elsewhere|registered with us|(?:this|our) registrar|expired|redemption|pending ?delete|backorder|auction|for sale|landrush|sunrise|available only|be available soon|not in use but|because of|login|log in|could not retrieve|no answer|lookup error|invalid pattern|qualified registrants|dpml)\b/;

const TROUBLE =
  /\b(?:lookups|your (?:ip|address|network)|blocked|denied|exceeded|quota|busy|unavailable|failed|banned|wait|refused|rejected|connection|offline|down|unreachable|outage|crashed|maintenance|time-?out|temporar\w*|throttled|reached|overload\w*|try (?:again|later))\b/;

/** Kept back, or too much asked, in the languages of registries that do not say it in English. */
const FOREIGN =
  /reservad[oa]|r[eé]serv[eé]e?(?!\p{L})|reserviert|gereserveerd|riservato|зарезервир|резервиран|保留|예약|bloquead[oa]|bloqu[eé]e?(?!\p{L})|gesperrt|geblokkeerd|заблокир|demasiad[oa]s|trop de|zu viele|troppe|слишком много|l[ií]mite de|超过|超過|限制/u;
