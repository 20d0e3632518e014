import { OPEN_SUFFIXES } from '../domain/name/open-suffixes.js';

/** Base URLs end with a slash (RFC 9224 §3). */
type Row = readonly [base: string, domains: string];

/**
 * The most used TLDs, for use until the bootstrap document has been fetched once. Source: IANA's RDAP bootstrap service
 * registry for domain names (RFC 9224), publication 2026-02-13T23:00:01Z.
 */
const IN_BOOTSTRAP: readonly Row[] = [
  [
    'https://rdap.identitydigital.services/rdap/',
    `academy aero agency ai asia bet bingo bio black blue builders cafe camera capital cards care cash casino
     center chat church city clinic clothing coach codes coffee community company computer consulting contact
     cool credit dance deals delivery dental digital direct directory doctor dog education email energy
     engineer engineering enterprises estate events exchange expert express family fan farm finance financial
     fish fitness flights florist football forsale fund furniture fyi gallery games gifts glass global gmbh
     gold golf graphics gratis green group guide guru haus holdings holiday hospital house immo industries
     info institute insure international investments istanbul jewelry kim kitchen land lawyer lease legal
     lgbt life limited limo live llc loans ltd management market marketing media mobi money mortgage movie
     network news ninja partners parts photography photos pictures pink pizza plus poker post pro productions
     promo properties pub recipes red reise rentals repair report republican restaurant reviews rocks run
     sale salon school services shoes shopping show singles ski soccer social software solar solutions studio
     style supplies supply support surgery systems tax taxi team technology tennis theater tips tires today
     tools tours town toys trading training travel university vacations vegas ventures vet video villas vin
     vision vote voyage watch wine works world wtf zone`,
  ],
  [
    'https://rdap.nic.{tld}/',
    `amsterdam ar bayern beer biz boston cat club cricket cx cz design earth fashion film fit fr garden gay
     health ink law ly melbourne men miami ms museum nyc one paris party photo pm quebec re review science
     scot stream surf sydney tel tf trade tube tv vip vodka webcam wedding wf wiki win work xxx yoga yt`,
  ],
  [
    'https://rdap.centralnic.com/{tld}/',
    `art autos beauty best boats bond cfd cyou fm fun game hair help homes host hosting icu inc lat lol
     london makeup mom monster motorcycles online press pw quest rent ruhr saarland sbs security site skin
     space store tech website xyz yachts`,
  ],
  [
    'https://pubapi.registry.google/rdap/',
    `app boo dad day dev esq foo google how ing meme mov new nexus page phd prof rsvp soy youtube zip`,
  ],
  ['https://rdap.nominet.uk/{tld}/', 'bot cymru jobs uk wales'],
  ['https://rdap.registry.{tld}/rdap/', 'bar cloud coop love'],
  ['https://rdap.{tld}.fury.ca/rdap/', 'blog ca eco kiwi'],
  ['https://rdap.tucowsregistry.net/rdap/', 'click link sexy'],
  ['https://rdap.ryce-rsp.com/rdap/', 'cologne koeln wien'],
  ['https://rdap.nic.{tld}/v1/', 'berlin hamburg'],
  ['https://tld-rdap.verisign.com/{tld}/v1/', 'cc name'],
  ['https://rdap.verisign.com/{tld}/v1/', 'com net'],
  ['https://rdap.publicinterestregistry.org/rdap/', 'foundation org'],
  ['https://rdap.gmoregistry.net/rdap/', 'shop tokyo'],
  ['https://rdap.nic.africa/rdap/', 'africa'],
  ['https://rdap.cctld.au/rdap/', 'au'],
  ['https://rdap.registro.br/', 'br'],
  ['https://rdap.fi/rdap/rdap/', 'fi'],
  ['https://rdap.pandi.id/rdap/', 'id'],
  ['https://rdap.nixiregistry.in/rdap/', 'in'],
  ['https://rdap.isnic.is/rdap/', 'is'],
  ['https://rdap.kenic.or.ke/', 'ke'],
  ['https://rdap.lbdr.org.lb/', 'lb'],
  ['https://rdap.flexireg.net/', 'moscow'],
  ['https://rdap.sidn.nl/', 'nl'],
  ['https://rdap.norid.no/', 'no'],
  ['https://rdap.dns.pl/', 'pl'],
  ['https://rdap.registry.click/rdap/', 'realty'],
  ['https://rdap.registry.bar/rdap/', 'rest'],
  ['https://rdap.sgnic.sg/rdap/', 'sg'],
  ['https://rdap.register.si/', 'si'],
  ['https://rdap.thains.co.th/', 'th'],
  ['https://rdap.tonicregistry.to/rdap/', 'to'],
  ['https://rdap.zdnsgtld.com/top/', 'top'],
  ['https://ccrdap.twnic.tw/tw/', 'tw'],
  ['https://whois.tznic.or.tz/rdap/', 'tz'],
  ['https://rdap.hostmaster.ua/', 'ua'],
  ['https://rdap.cctld.uz/', 'uz'],
];

/**
 * Servers that IANA does not list, taken only if several RDAP clients use them: a wrong server would answer 404 for
 * every name. Sources: overrides of meeb/whoisit (2026-01-05), zonedb (2026-07-01), domain-watchdog's example list
 * (2026-05).
 */
const OUTSIDE_BOOTSTRAP: readonly Row[] = [
  ['https://rdap.identitydigital.services/rdap/', 'ac ag bz io lc me mn pr sc sh vc'],
  ['https://rdap.denic.de/', 'de'],
  ['https://rdap.nic.{tld}/', 'ch li us'],
];

export const BUILT_IN_RDAP_SERVERS: ReadonlyMap<string, URL> = toServerMap(IN_BOOTSTRAP);
export const RDAP_SERVERS_OUTSIDE_BOOTSTRAP: ReadonlyMap<string, URL> = new Map([
  ...toServerMap(OUTSIDE_BOOTSTRAP),
  ...[...OPEN_SUFFIXES].flatMap(([suffix, { rdap }]) => (rdap ? [[suffix, new URL(rdap)] as const] : [])),
]);

function toServerMap(rows: readonly Row[]): ReadonlyMap<string, URL> {
  return new Map(
    rows.flatMap(([base, domains]) =>
      domains.split(/\s+/).map((tld) => [tld, new URL(base.replaceAll('{tld}', tld))] as const),
    ),
  );
}
