/** A registry below a domain such as `uk.com`, where everybody may register names. */
export interface OpenSuffix {
  /** The base URL of the registry's RDAP server. */
  readonly rdap?: string;
  /** The host of its WHOIS server. */
  readonly whois: string;
}

/** Source: jakejarvis/rdapper, src/lib/subregistries.ts (2026). */
const CENTRALNIC = `ae.org br.com cn.com co.com com.de com.se de.com eu.com gb.net gr.com hu.net in.net jp.net jpn.com mex.com
  ru.com sa.com se.net uk.com uk.net us.com za.bz za.com`;
/** Source: the Debian whois client's tld_serv_list. */
const OTHERS: Readonly<Record<string, OpenSuffix>> = {
  'biz.ua': { whois: 'whois.biz.ua' },
  'co.ua': { whois: 'whois.co.ua' },
  'pp.ua': { whois: 'whois.pp.ua' },
};

export const OPEN_SUFFIXES: ReadonlyMap<string, OpenSuffix> = new Map([
  ...CENTRALNIC.split(/\s+/).map(
    (suffix) => [suffix, { rdap: `https://rdap.centralnic.com/${suffix}/`, whois: 'whois.centralnic.com' }] as const,
  ),
  ...Object.entries(OTHERS),
]);

export function findOpenSuffix(ascii: string): string | null {
  const last = ascii.lastIndexOf('.');
  const first = ascii.lastIndexOf('.', last - 1);
  if (first < 0) return null;
  const suffix = ascii.slice(first + 1);
  return OPEN_SUFFIXES.has(suffix) ? suffix : null;
}
