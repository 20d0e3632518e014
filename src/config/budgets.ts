import type { OperatorBudget } from '../kernel/operator-budget.js';
import {
  type OperatorEntry,
  BUILT_IN_OPERATORS,
  DEFAULT_BUDGET,
  PRIVATE_NETWORK_BUDGET,
} from './built-in-operators.js';
import { isHostPort } from './setting-types.js';

/** What registry operators are asked at most. */
export interface Budgets {
  /** For operators that the table does not name. */
  readonly default: OperatorBudget;
  /** For those that it does not name either, at addresses that are not public; the file's default, if it has one. */
  readonly privateNetwork: OperatorBudget;
  readonly operators: Readonly<Record<string, OperatorEntry>>;
}

export const BUILT_IN_BUDGETS: Budgets = {
  default: DEFAULT_BUDGET,
  privateNetwork: PRIVATE_NETWORK_BUDGET,
  operators: BUILT_IN_OPERATORS,
};

type AddProblem = (problem: string) => void;
type Fields = Readonly<Record<string, unknown>>;

const MAX_PER_SECOND = 10_000;
const MAX_CONCURRENCY = 1_000;
const LIMIT_RULES: Readonly<
  Record<string, readonly [field: keyof OperatorBudget, wanted: string, isValid: (n: number) => boolean]>
> = {
  per_second: ['perSecond', `a number from 0 to ${MAX_PER_SECOND}`, (n) => n >= 0 && n <= MAX_PER_SECOND],
  burst: [
    'burst',
    `a whole number from 1 to ${MAX_PER_SECOND}`,
    (n) => Number.isInteger(n) && n >= 1 && n <= MAX_PER_SECOND,
  ],
  concurrency: [
    'concurrency',
    `a whole number from 1 to ${MAX_CONCURRENCY}`,
    (n) => Number.isInteger(n) && n >= 1 && n <= MAX_CONCURRENCY,
  ],
};

/**
 * Lays a file `{"default": {…}, "operators": {"verisign": {"hosts": […], "per_second": 20, …}}}` over the built-in
 * table. A known operator keeps what the file does not name, hosts included; a new one takes that from the default.
 */
export function parseBudgets(file: unknown, addFileProblem: AddProblem): Budgets {
  const addProblem: AddProblem = (text) => addFileProblem(`LOOKUP_BUDGETS_FILE: ${text}`);
  const { default: fallback, operators, ...unknown } = asFields(file, 'it', addProblem);
  for (const name of Object.keys(unknown)) addProblem(`${name} is unknown; default and operators are not`);
  const defaultBudget = {
    ...DEFAULT_BUDGET,
    ...parseLimits(asFields(fallback, 'default', addProblem), 'default', addProblem),
  };
  // Without a prototype: an operator may be called `constructor`, or `__proto__`.
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
    else if (typeof value !== 'number' || !rule[2](value)) addProblem(`${where}: ${name} must be ${rule[1]}`);
    else limits[rule[0]] = value;
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

/** What the file gives to one operator is no other's any more. */
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
