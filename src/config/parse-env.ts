import { readFileSync } from 'node:fs';
import { plainToInstance } from 'class-transformer';
import { distance } from 'fastest-levenshtein';
import { Environment, SECRETS } from './environment.js';

/** Notes what is wrong with a setting, in one line. */
export type AddProblem = (problem: string) => undefined;

const NAMES = Object.getOwnPropertyNames(plainToInstance(Environment, {}, { exposeDefaultValues: true }));
const OPTIONAL = [
  'DATABASE_URL',
  'MIGRATION_DATABASE_URL',
  'REDIS_URL',
  'MASTER_KEY',
  'BOOTSTRAP_API_KEY',
  'PLANS_FILE',
  'LOOKUP_BUDGETS_FILE',
];
const ALL_NAMES = new Set([
  ...NAMES,
  ...OPTIONAL,
  ...['FRESHNESS_FILE', 'WEBHOOK_CA_FILE', 'SMTP_URL', 'MAIL_FROM', 'PUBLIC_URL', 'LOG_FORMAT', 'METRICS_PORT'],
  ...['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_TRACES_EXPORTER'],
  'NOTIFICATIONS_EMAIL_CONFIRMATION',
]);

/** The settings that are there and not empty; a secret may come from the file that `NAME_FILE` names. */
export function parseEnv(env: NodeJS.ProcessEnv, addProblem: AddProblem): Record<string, string> {
  const values: Record<string, string> = {};
  for (const name of ALL_NAMES) {
    const file = SECRETS.includes(name as never) ? env[`${name}_FILE`] : undefined;
    if (file && env[name]) addProblem(`${name} and ${name}_FILE are both set: one of them`);
    const value = env[name] || (file && readTextFile(`${name}_FILE`, file, addProblem)?.trim());
    if (value) values[name] = value;
  }
  return values;
}

/** Suggests a setting for an unknown name that is one or two typing errors away from it. */
export function suggestTypos(env: NodeJS.ProcessEnv): string[] {
  const knownNames = new Set([...ALL_NAMES, ...SECRETS.map((name) => `${name}_FILE`)]);
  return Object.keys(env)
    .filter((name) => /^[A-Z][A-Z0-9_]+$/.test(name) && !knownNames.has(name))
    .flatMap((name) => {
      const suggestion = findIntended(name, [...knownNames]);
      return suggestion === undefined ? [] : [`${name} is no setting; ${suggestion} is`];
    });
}

/** The nearest name that is near enough. */
function findIntended(typed: string, names: readonly string[]): string | undefined {
  return names
    .filter(({ length }) => Math.abs(length - typed.length) <= 2)
    .map((name) => ({ name, errors: countTypingErrors(name, typed) }))
    .filter(({ name, errors }) => errors <= (name.length > 8 ? 2 : 1))
    .sort((one, other) => one.errors - other.errors)[0]?.name;
}

/**
 * Letters that are missing, wrong or too many; two that changed places are one error. Other
 * programs have names so near to those of up to five letters that with these only swapped letters are an error.
 */
function countTypingErrors(name: string, typed: string): number {
  const swapped = Array.from(
    { length: name.length - 1 },
    (_, at) => `${name.slice(0, at)}${name[at + 1]}${name[at]}${name.slice(at + 2)}`,
  );
  if (name.length <= 5) return swapped.includes(typed) ? 1 : Infinity;
  return Math.min(distance(name, typed), ...swapped.map((swap) => 1 + distance(swap, typed)));
}

export function readTextFile(setting: string, path: string, addProblem: AddProblem): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return addProblem(`${setting}: cannot read ${path}: ${code === 'ENOENT' ? 'no such file' : message}`);
  }
}

export function readJsonFile(setting: string, path: string, addProblem: AddProblem): unknown {
  const text = readTextFile(setting, path, addProblem);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    return addProblem(`${setting}: ${path} is not JSON: ${(error as Error).message}`);
  }
}
