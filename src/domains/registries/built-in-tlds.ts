import { BUILT_IN_RDAP_SERVERS, RDAP_SERVERS_OUTSIDE_BOOTSTRAP } from '../rdap/rdap-built-in-servers.js';
import { BUILT_IN_WHOIS_SERVERS } from '../whois/whois-built-in-servers.js';

/** The TLDs with a server in the built-in tables, in alphabetical order. */
export function builtInTlds(): readonly string[] {
  const tables = [BUILT_IN_RDAP_SERVERS, RDAP_SERVERS_OUTSIDE_BOOTSTRAP, BUILT_IN_WHOIS_SERVERS];
  return [...new Set(tables.flatMap((table) => [...table.keys()]))].sort();
}
