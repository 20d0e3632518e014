import { InvalidConfigurationError } from './invalid-configuration.error.js';
import { readSettings, suggestTypos } from './read-settings.js';
import type { AddProblem } from './setting-forms.js';
import { SETTINGS, type SettingValues } from './settings.js';

type Values = ReturnType<typeof derive>;

/** The settings as the service uses them, read once and frozen; null for "not set". */
export class Config extends (class {} as new () => Values) {
  constructor(values: Values) {
    super();
    Object.freeze(Object.assign(this, values));
  }

  /** The same settings with the addresses of the database that was started for them. */
  withDatabase(database: { url: string; migrationUrl: string }, masterKeys: readonly string[]): Config {
    const { url: databaseUrl, migrationUrl: migrationDatabaseUrl } = database;
    return new Config({ ...this, databaseUrl, migrationDatabaseUrl, masterKeys });
  }

  /** The same settings, mounted at this path of an application whose own public address is PUBLIC_URL. */
  withMountPath(path: string): Config {
    const publicUrl = this.publicUrl === null ? null : `${this.publicUrl.replace(/\/+$/, '')}${path}`;
    const logFormat = 'pretty'; // sentences: the host's logger may show no fields
    return new Config({ ...this, publicUrl, basePath: `${this.basePath}${path}`, logFormat });
  }
}

/**
 * Reads the environment; the only place that does.
 * @throws InvalidConfigurationError naming everything that is wrong at once.
 */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const problems: string[] = [...suggestTypos(env)];
  const addProblem = (problem: string) => void problems.push(problem);
  const settings = readSettings(env, addProblem);
  const isSet = (name: string) => Boolean(env[name] || env[`${name}_FILE`]);
  const mailConfirmation = settings.emailConfirmation ?? isSet('SMTP_URL');
  checkTogether({ ...settings, mailConfirmation }, isSet, addProblem);
  if (problems.length > 0) throw new InvalidConfigurationError(problems);
  return new Config(derive(settings, mailConfirmation));
}

/** What one setting needs of another. */
function checkTogether(
  settings: SettingValues & { readonly mailConfirmation: boolean },
  isSet: (name: string) => boolean,
  addProblem: AddProblem,
): void {
  const { extensions, plans, defaultPlan, timeScale, rdapBootstrapUrl, mailConfirmation, role } = settings;
  // An extension may have the plans: then they are checked once it has loaded them.
  if (extensions.length === 0 && !Object.hasOwn(plans, defaultPlan))
    addProblem(`PLAN_DEFAULT must be one of ${Object.keys(plans).join(', ')}`);
  if (timeScale > 1 && rdapBootstrapUrl !== null)
    addProblem('TIME_SCALE above 1 needs RDAP_BOOTSTRAP_URL=off: real registries are never asked in fast motion');
  if (isSet('MIGRATION_DATABASE_URL') && !isSet('DATABASE_URL'))
    addProblem('MIGRATION_DATABASE_URL needs DATABASE_URL: the embedded database has a user of its own for migrations');
  if (isSet('DATABASE_URL') && !isSet('MASTER_KEY'))
    addProblem('MASTER_KEY is required with DATABASE_URL: make one with "openssl rand -base64 32"');
  if (isSet('SMTP_URL') && !isSet('MAIL_FROM'))
    addProblem('MAIL_FROM is required with SMTP_URL: the address that notifications come from');
  if (mailConfirmation && !isSet('PUBLIC_URL') && role !== 'all')
    addProblem(
      'PUBLIC_URL is required with ROLE other than all where mail addresses have to confirm: where the links lead' +
        ' (NOTIFICATIONS_EMAIL_CONFIRMATION=false turns that off)',
    );
}

function derive(settings: SettingValues, mailConfirmation: boolean) {
  const { masterKey, previousMasterKeys, emailConfirmation: _onlyIfSet, ...values } = settings;
  const { publicUrl, logFormat } = values;
  return {
    ...values,
    logFormat: logFormat ?? (process.stdout.isTTY ? ('pretty' as const) : ('json' as const)),
    /** The first encrypts, all decrypt. Empty: made in the data directory. */
    masterKeys: masterKey === null ? [] : ([masterKey, ...previousMasterKeys] as readonly string[]),
    /** Whether an address has to confirm before it gets mail. */
    mailConfirmation,
    /** `/names`, or empty: the path of the public URL, which requests here no longer have. */
    basePath: publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/+$/, ''),
    /** null: nothing is traced, and nothing of OpenTelemetry is loaded. */
    tracing: toTracingSettings(settings),
  };
}

/** Says where traces are sent, and how many. */
export interface TracingSettings {
  /** Leads to the collector, with its path. */
  readonly url: string;
  readonly serviceName: string;
  readonly sampler: SettingValues['tracesSampler'];
  /** The part of traces, from 0 to 1, that the samplers by ratio keep. */
  readonly ratio: number;
}

/** The specification's address of a collector beside the process. */
const DEFAULT_OTLP_ENDPOINT = 'http://localhost:4318';

function toTracingSettings(settings: SettingValues): TracingSettings | null {
  const { otlpEndpoint: base, otlpTracesEndpoint: full } = settings;
  const exporter = settings.tracesExporter ?? (base === null && full === null ? 'none' : 'otlp');
  if (exporter === 'none' || settings.isTracingDisabled) return null;
  return {
    url: full ?? `${(base ?? DEFAULT_OTLP_ENDPOINT).replace(/\/+$/, '')}/v1/traces`,
    serviceName: settings.tracedServiceName,
    sampler: settings.tracesSampler,
    ratio: Number(settings.tracesSamplerArg),
  };
}

export interface ClientSettings {
  readonly url: string | null;
  readonly key: string | null;
  readonly dataDir: string;
  readonly isDataDirGiven: boolean;
}

/** How the command line finds a running service; flags come before these. */
export function readClientSettings(env: NodeJS.ProcessEnv = process.env): ClientSettings {
  const url = env['NAMEWATCH_URL'] || null;
  const key = env['NAMEWATCH_KEY'] || null;
  const given = env['DATA_DIR'];
  return { url, key, dataDir: given || SETTINGS.dataDir.default, isDataDirGiven: Boolean(given) };
}
