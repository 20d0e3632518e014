/** Phrases that mean the same in RDAP and WHOIS answers; in lower case. */

/** The name cannot be registered. */
export const NOT_REGISTRABLE =
  /\bnot (open|eligible) for registration\b|\b(not |un)available (for|to) (registration|register|purchase)\b|\bregistration\b.{0,40}\bnot (allowed|permitted|possible)\b/;

/** The server does not answer this client or this query. */
export const ACCESS_DENIED =
  /\b(access|permission|request|query|service|connection)( is| was| has been)? (denied|refused|restricted|blocked|rejected)\b/;
