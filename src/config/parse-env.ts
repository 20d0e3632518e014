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

/** Suggests a setting for an unknown name that is one or two keystrokes away from it. */
export function suggestTypos(env: NodeJS.ProcessEnv): string[] {
  const knownNames = [...ALL_NAMES, ...SECRETS.map((name) => `${name}_FILE`)].filter((name) => name.length > 5);
  return Object.keys(env)
    .filter((name) => /^[A-Z][A-Z_]+$/.test(name) && !ALL_NAMES.has(name) && !knownNames.includes(name))
    .flatMap((name) => {
      const suggestion = knownNames.find((candidate) => distance(candidate, name) <= (candidate.length > 8 ? 2 : 1));
      return suggestion ? [`${name} is no setting; ${suggestion} is`] : [];
    });
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
