import type { OperatorBudget } from '../kernel/operator-budget.js';

/** An operator with its hosts: `host`, which stands for those below it too, or `host:port`. */
export interface OperatorEntry extends OperatorBudget {
  readonly hosts: readonly string[];
}

/** For every operator that is not named below: one question a second, as datum-cloud/enhancements#497 found usual. */
export const DEFAULT_BUDGET = { perSecond: 1, burst: 5, concurrency: 2 };
/** For servers in a private network, such as a test registry: their administrator runs this service too. */
export const PRIVATE_NETWORK_BUDGET = { perSecond: 0, burst: 1, concurrency: 50 };

/**
 * Who runs which registry servers; a domain stands for all hosts below it. Hosts: IANA's RDAP bootstrap (2026-02-13)
 * and root zone database; whose back end serves a TLD: the operators' own lists, but for GoDaddy the reports of
 * domainincite.com, which it did not confirm: a TLD that is not its own only shares a budget in vain.
 *
 * A limit that is published for what is asked here is kept: CentralNic counts RDAP and WHOIS as one
 * (centralnic.com/support/rdap). Limits of a WHOIS that is not queried, since the TLD has RDAP, stand beside the numbers.
 * Where nothing is published, a large registry gets what its size bears, and its 429 is obeyed. Limits are published per
 * address; those who share theirs with others lower them in a file.
 */
export const BUILT_IN_OPERATORS: Readonly<Record<string, OperatorEntry>> = {
  // The largest registry (.com, .net); publishes no limit. A thousand names every five minutes take 3.3 a second.
  verisign: operator('verisign.com verisign-grs.com nic.cc nic.name nic.tv', 20, 40, 8),
  // Identity Digital, once Donuts and Afilias: some 300 TLDs; publishes no limit.
  'identity-digital': operator(
    'identitydigital.services identity.digital donuts.co donuts.email afilias.net afilias.info afilias-srs.net',
    10,
    20,
    4,
  ),
  // Charleston Road Registry (.app, .dev); publishes no limit.
  google: operator('registry.google nic.google', 10, 20, 4),
  // Public Interest Registry (.org); publishes no limit.
  pir: operator('publicinterestregistry.org publicinterestregistry.net pir.org', 5, 10, 4),
  // GoDaddy Registry, once Neustar and MMX; publishes no limit.
  'godaddy-registry': operator(
    `registry.godaddy nic.biz nic.club nic.us nic.nyc nic.design nic.ink nic.wiki nic.luxe nic.abogado nic.casa
     nic.beer nic.fashion nic.fit nic.garden nic.law nic.surf nic.vip nic.vodka nic.wedding nic.work nic.yoga
     nic.boston nic.miami nic.melbourne nic.sydney nic.xxx nic.tube nic.photo`,
    5,
    10,
    4,
  ),
  // "1,800 in 15 minutes" for a whole /24 or /48, WHOIS and RDAP together (centralnicregistry.com/?p=1410).
  centralnic: operator('centralnic.com centralnic.net centralnicregistry.com', 1.5, 10, 4),
  tucows: operator('tucowsregistry.net uniregistry.net uniregistry.info', 2, 5, 2),
  // CIRA's back end (.ca and those that it serves); publishes no limit.
  cira: operator('fury.ca cira.ca', 2, 5, 2),
  // AFNIC (.fr and the French territories); publishes no limit.
  afnic: operator('afnic.fr nic.fr nic.re nic.pm nic.tf nic.wf nic.yt', 2, 5, 2),
  // DENIC refuses by address block, at a limit it does not publish (domaininformation.de).
  denic: operator('denic.de', 1, 5, 2),
  // SIDN answers "requests per second exceeded" without saying how many (php-whois#132).
  sidn: operator('sidn.nl domain-registry.nl', 1, 5, 2),
  eurid: operator('eurid.eu whois.eu', 1, 5, 2),
  // Asked by RDAP, for which no limit was found. Its WHOIS allows "5 a second and 1,000 in 24 hours" for each user
  // (Nominet's WHOIS acceptable use policy), far less in a day than this.
  nominet: operator('nominet.uk nominet.org.uk nic.uk', 0.5, 5, 2),
  // Asked by RDAP, for which no limit was found. Its WHOIS allows registrars "60 a minute, 3,000 a day" (norid.no,
  // acceptable use policy), far less in a day than this.
  norid: operator('norid.no', 0.5, 5, 2),
  // "100 in 24 hours" by WHOIS, for each address (domainregistry.ie, WHOIS acceptable use policy); kept for RDAP too.
  'ie-registry': operator('weare.ie iedr.ie domainregistry.ie', 0.001, 10, 1),
  switch: operator('switch.ch nic.ch nic.li', 1, 5, 2),
  iis: operator('iis.se iis.nu', 1, 5, 2),
  // Bans addresses that ask often, at a limit it does not publish (domain_exporter#269).
  tcinet: operator('tcinet.ru', 0.5, 3, 1),
  iana: operator('iana.org', 1, 5, 2),
};

function operator(hosts: string, perSecond: number, burst: number, concurrency: number): OperatorEntry {
  return { hosts: hosts.split(/\s+/), perSecond, burst, concurrency };
}
