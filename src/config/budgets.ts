import type { OperatorBudget } from '../kernel/operator-budget.js';
import { type AddProblem, isHostPort } from './setting-forms.js';

/**
 * A registry operator and its servers. A host includes its subdomains. A host with a port, such as `a.example:43`, does
 * not.
 */
export interface OperatorEntry extends OperatorBudget {
  readonly hosts: readonly string[];
  /** A sentence for docs/budgets.md about the limit that the operator publishes. */
  readonly about?: string;
}

/** The limit of operators that are not named below. One query a second is usual (datum-cloud/enhancements#497). */
export const DEFAULT_BUDGET = { perSecond: 1, burst: 5, concurrency: 2 };
/** Servers in a private network get no rate limit (0), because their administrator runs this service too. */
const PRIVATE_NETWORK_BUDGET = { perSecond: 0, burst: 1, concurrency: 50 };

/**
 * Hosts are from IANA's RDAP bootstrap of 2026-02-13 and root zone database. If an operator publishes no limit, its
 * limit is guessed from its size.
 */
export const BUILT_IN_OPERATORS: Readonly<Record<string, OperatorEntry>> = {
  verisign: operator('verisign.com verisign-grs.com nic.cc nic.name nic.tv', [20, 40, 8], {
    about: 'The largest registry (.com, .net); none found.',
  }),
  'identity-digital': operator(
    'identitydigital.services identity.digital donuts.co donuts.email afilias.net afilias.info afilias-srs.net',
    [10, 20, 4],
    { about: 'Once Donuts and Afilias: some 300 TLDs; none found.' },
  ),
  google: operator('registry.google nic.google', [10, 20, 4], {
    about: 'Charleston Road Registry (.app, .dev); none found.',
  }),
  pir: operator('publicinterestregistry.org publicinterestregistry.net pir.org', [5, 10, 4], {
    about: 'Public Interest Registry (.org); none found.',
  }),
  // GoDaddy's TLDs are from domainincite.com, and unconfirmed.
  'godaddy-registry': operator(
    `registry.godaddy nic.biz nic.club nic.us nic.nyc nic.design nic.ink nic.wiki nic.luxe nic.abogado nic.casa
     nic.beer nic.fashion nic.fit nic.garden nic.law nic.surf nic.vip nic.vodka nic.wedding nic.work nic.yoga
     nic.boston nic.miami nic.melbourne nic.sydney nic.xxx nic.tube nic.photo`,
    [5, 10, 4],
    { about: 'GoDaddy Registry, once Neustar and MMX; none found.' },
  ),
  // RDAP and WHOIS count together (centralnic.com/support/rdap).
  centralnic: operator('centralnic.com centralnic.net centralnicregistry.com', [1.5, 10, 4], {
    about: '"1,800 in 15 minutes" for a whole /24 or /48, WHOIS and RDAP together (centralnicregistry.com/?p=1410).',
  }),
  tucows: operator('tucowsregistry.net uniregistry.net uniregistry.info', [2, 5, 2], { about: 'None found.' }),
  cira: operator('fury.ca cira.ca', [2, 5, 2], {
    about: ".ca, and those that CIRA's back end serves; none found.",
  }),
  afnic: operator('afnic.fr nic.fr nic.re nic.pm nic.tf nic.wf nic.yt', [2, 5, 2], {
    about: '.fr and the French territories; none found.',
  }),
  denic: operator('denic.de', [1, 5, 2], {
    about: '.de. Refuses by address block, at a limit it does not publish (domaininformation.de).',
  }),
  sidn: operator('sidn.nl domain-registry.nl', [1, 5, 2], {
    about: '.nl. Answers "requests per second exceeded" without saying how many (php-whois#132).',
  }),
  eurid: operator('eurid.eu whois.eu', [1, 5, 2], { about: '.eu. None found.' }),
  nominet: operator('nominet.uk nominet.org.uk nic.uk', [0.5, 5, 2], {
    about:
      '.uk. None found for RDAP. Its WHOIS, unused here, allows each user far less in a day: "5 a second and 1,000 in ' +
      '24 hours" (its WHOIS acceptable use policy).',
  }),
  norid: operator('norid.no', [0.5, 5, 2], {
    about:
      '.no. None found for RDAP. Its WHOIS, unused here, allows registrars far less in a day: "60 a minute, 3,000 a ' +
      'day" (norid.no, acceptable use policy).',
  }),
  'ie-registry': operator('weare.ie iedr.ie domainregistry.ie', [0.001, 10, 1], {
    about:
      '.ie. "100 in 24 hours" per address by WHOIS (domainregistry.ie, WHOIS acceptable use policy); kept for RDAP too.',
  }),
  switch: operator('switch.ch nic.ch nic.li', [1, 5, 2], { about: '.ch and .li. None found.' }),
  iis: operator('iis.se iis.nu', [1, 5, 2], { about: '.se and .nu. None found.' }),
  tcinet: operator('tcinet.ru', [0.5, 3, 1], {
    about: '.ru. Bans addresses that ask often, at a limit it does not publish (domain_exporter#269).',
  }),
  iana: operator('iana.org', [1, 5, 2], { about: 'The root zone. None found.' }),
};

function operator(
  hosts: string,
  [perSecond, burst, concurrency]: readonly [number, number, number],
  { about }: { readonly about: string },
): OperatorEntry {
  return { about, hosts: hosts.split(/\s+/), perSecond, burst, concurrency };
}

export interface Budgets {
  /** The limit of operators that `operators` does not name. */
  readonly default: OperatorBudget;
  /** The limit of each server in a private network. A `default` in LOOKUP_BUDGETS_FILE replaces this limit too. */
  readonly privateNetwork: OperatorBudget;
  readonly operators: Readonly<Record<string, OperatorEntry>>;
}

export const BUILT_IN_BUDGETS: Budgets = {
  default: DEFAULT_BUDGET,
  privateNetwork: PRIVATE_NETWORK_BUDGET,
  operators: BUILT_IN_OPERATORS,
};

type Fields = Readonly<Record<string, unknown>>;

const MAX_PER_SECOND = 10_000;
const MAX_CONCURRENCY = 1_000;

interface LimitRule {
  readonly field: keyof OperatorBudget;
  readonly wanted: string;
  readonly isValid: (value: number) => boolean;
}

const LIMIT_RULES: Readonly<Record<string, LimitRule>> = {
  per_second: {
    field: 'perSecond',
    wanted: `a number from 0 to ${MAX_PER_SECOND}`,
    isValid: (value) => value >= 0 && value <= MAX_PER_SECOND,
  },
  burst: wholeNumber('burst', MAX_PER_SECOND),
  concurrency: wholeNumber('concurrency', MAX_CONCURRENCY),
};

function wholeNumber(field: keyof OperatorBudget, maximum: number): LimitRule {
  const isValid = (value: number) => Number.isInteger(value) && value >= 1 && value <= maximum;
  return { field, wanted: `a whole number from 1 to ${maximum}`, isValid };
}

/**
 * Merges a file such as `{"default": {…}, "operators": {"verisign": {"hosts": […], "per_second": 20}}}` into the
 * built-in table.
 */
export function parseBudgets(file: unknown, addProblem: AddProblem): Budgets {
  const { default: fallback, operators, ...unknown } = asFields(file, 'it', addProblem);
  for (const name of Object.keys(unknown)) addProblem(`${name} is unknown; default and operators are not`);
  const defaultBudget = {
    ...DEFAULT_BUDGET,
    ...parseLimits(asFields(fallback, 'default', addProblem), 'default', addProblem),
  };
  // The table has no prototype, since an operator may be called `constructor` or `__proto__`.
  const table = Object.assign(Object.create(null) as Record<string, OperatorEntry>, BUILT_IN_OPERATORS);
  const operatorByHost = new Map<string, string>();
  for (const [name, given] of Object.entries(asFields(operators, 'operators', addProblem))) {
    const { hosts = [], ...limits } = asFields(given, name, addProblem);
    const namedHosts = parseHosts(hosts, name, addProblem);
    for (const host of namedHosts.filter((one) => operatorByHost.has(one)))
      addProblem(`${host} is of ${operatorByHost.get(host)} and of ${name}`);
    namedHosts.forEach((host) => operatorByHost.set(host, name));
    const known = table[name] ?? { ...defaultBudget, hosts: [] };
    table[name] = { ...known, ...parseLimits(limits, name, addProblem), hosts: [...known.hosts, ...namedHosts] };
  }
  return {
    default: defaultBudget,
    privateNetwork: fallback === undefined ? PRIVATE_NETWORK_BUDGET : defaultBudget,
    operators: withoutReassignedHosts(table, operatorByHost),
  };
}

function asFields(value: unknown, where: string, addProblem: AddProblem): Fields {
  if (value === undefined) return {};
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  addProblem(`${where} must be an object`);
  return {};
}

function parseLimits(fields: Fields, where: string, addProblem: AddProblem): Partial<OperatorBudget> {
  const limits: Partial<Record<keyof OperatorBudget, number>> = {};
  for (const [name, value] of Object.entries(fields)) {
    const rule = Object.hasOwn(LIMIT_RULES, name) ? LIMIT_RULES[name] : undefined;
    if (!rule) addProblem(`${where}: ${name} is unknown; ${Object.keys(LIMIT_RULES).join(', ')} are not`);
    else if (typeof value !== 'number' || !rule.isValid(value)) addProblem(`${where}: ${name} must be ${rule.wanted}`);
    else limits[rule.field] = value;
  }
  return limits;
}

function parseHosts(value: unknown, where: string, addProblem: AddProblem): string[] {
  if (Array.isArray(value) && value.every(isHost)) return value.map((host: string) => host.toLowerCase());
  addProblem(`${where}: hosts must be a list of host or host:port`);
  return [];
}

function isHost(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  return isHostPort(text) || /^(?:[a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]*[a-z0-9])?$/i.test(text);
}

/** If the file assigns a host to an operator, removes this host from all other operators. */
function withoutReassignedHosts(
  table: Record<string, OperatorEntry>,
  operatorByHost: ReadonlyMap<string, string>,
): Budgets['operators'] {
  const keepsHost = (name: string) => (host: string) => (operatorByHost.get(host) ?? name) === name;
  return Object.fromEntries(
    Object.entries(table).map(([name, operator]) => [
      name,
      { ...operator, hosts: operator.hosts.filter(keepsHost(name)) },
    ]),
  );
}
