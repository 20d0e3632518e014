import type { OperatorBudget } from '../domains/language.js';
import { type BudgetedOperator, BUILT_IN_OPERATORS, DEFAULT_BUDGET, OWN_BUDGET } from './built-in-operators.js';
import { isHostPort } from './setting-types.js';

/** What registry operators are asked at most. */
export interface Budgets {
  /** For operators that the table does not name. */
  readonly default: OperatorBudget;
  /** For those that it does not name either, at addresses that are not public; the file's default, if it has one. */
  readonly own: OperatorBudget;
  readonly operators: Readonly<Record<string, BudgetedOperator>>;
}

export const BUILT_IN_BUDGETS: Budgets = { default: DEFAULT_BUDGET, own: OWN_BUDGET, operators: BUILT_IN_OPERATORS };

type Complain = (problem: string) => void;
type Fields = Readonly<Record<string, unknown>>;

const FASTEST = 10_000;
const MOST = 1_000;
const LIMITS: Readonly<
  Record<string, readonly [field: keyof OperatorBudget, wanted: string, isValid: (n: number) => boolean]>
> = {
  per_second: ['perSecond', `a number from 0 to ${FASTEST}`, (n) => n >= 0 && n <= FASTEST],
  burst: ['burst', `a whole number from 1 to ${FASTEST}`, (n) => Number.isInteger(n) && n >= 1 && n <= FASTEST],
  concurrency: ['concurrency', `a whole number from 1 to ${MOST}`, (n) => Number.isInteger(n) && n >= 1 && n <= MOST],
};

/**
 * Lays a file `{"default": {…}, "operators": {"verisign": {"hosts": […], "per_second": 20, …}}}` over the built-in
 * table. A known operator keeps what the file does not name, hosts included; a new one takes that from the default.
 */
export function budgetsFrom(file: unknown, problem: Complain): Budgets {
  const complain: Complain = (text) => problem(`LOOKUP_BUDGETS_FILE: ${text}`);
  const { default: fallback, operators, ...unknown } = fieldsOf(file, 'it', complain);
  for (const name of Object.keys(unknown)) complain(`${name} is unknown; default and operators are not`);
  const common = { ...DEFAULT_BUDGET, ...limitsOf(fieldsOf(fallback, 'default', complain), 'default', complain) };
  // Without a prototype: an operator may be called `constructor`, or `__proto__`.
  const table = Object.assign(Object.create(null) as Record<string, BudgetedOperator>, BUILT_IN_OPERATORS);
  const taken = new Map<string, string>();
  for (const [name, given] of Object.entries(fieldsOf(operators, 'operators', complain))) {
    const { hosts = [], ...limits } = fieldsOf(given, name, complain);
    const named = hostsOf(hosts, name, complain);
    for (const host of named.filter((one) => taken.has(one)))
      complain(`${host} is of ${taken.get(host)} and of ${name}`);
    named.forEach((host) => taken.set(host, name));
    const known = table[name] ?? { ...common, hosts: [] };
    table[name] = { ...known, ...limitsOf(limits, name, complain), hosts: [...known.hosts, ...named] };
  }
  return { default: common, own: fallback === undefined ? OWN_BUDGET : common, operators: withoutTaken(table, taken) };
}

function fieldsOf(given: unknown, where: string, complain: Complain): Fields {
  if (given === undefined) return {};
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given as Fields;
  complain(`${where} must be an object`);
  return {};
}

function limitsOf(fields: Fields, where: string, complain: Complain): Partial<OperatorBudget> {
  const limits: Partial<Record<keyof OperatorBudget, number>> = {};
  for (const [name, value] of Object.entries(fields)) {
    const limit = Object.hasOwn(LIMITS, name) ? LIMITS[name] : undefined;
    if (!limit) complain(`${where}: ${name} is unknown; ${Object.keys(LIMITS).join(', ')} are not`);
    else if (typeof value !== 'number' || !limit[2](value)) complain(`${where}: ${name} must be ${limit[1]}`);
    else limits[limit[0]] = value;
  }
  return limits;
}

function hostsOf(given: unknown, where: string, complain: Complain): string[] {
  if (Array.isArray(given) && given.every(isHost)) return given.map((host: string) => host.toLowerCase());
  complain(`${where}: hosts must be a list of host or host:port`);
  return [];
}

function isHost(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  return isHostPort(text) || /^(?:[a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]*[a-z0-9])?$/i.test(text);
}

/** What the file gives to one operator is no other's any more. */
function withoutTaken(
  table: Record<string, BudgetedOperator>,
  taken: ReadonlyMap<string, string>,
): Budgets['operators'] {
  const isOwn = (name: string) => (host: string) => (taken.get(host) ?? name) === name;
  return Object.fromEntries(
    Object.entries(table).map(([name, operator]) => [name, { ...operator, hosts: operator.hosts.filter(isOwn(name)) }]),
  );
}
