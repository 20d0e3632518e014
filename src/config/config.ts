import { distance } from 'fastest-levenshtein';
import { InvalidConfigurationError } from './invalid-configuration.error.js';
import { type AddProblem, type Form, readTextFile, type Setting } from './setting-forms.js';
import { ENDED_SETTINGS, SETTINGS } from './settings.js';
import { checkOpenIdConnect, toOpenIdSettings } from './sign-in-settings.js';

/** Constants of every installation. Only tests use other values. */
export const CONSTANTS = {
  /** How many requests of one account a process works on at a time. */
  accountConcurrency: 4,
};

type Values = ReturnType<typeof derive> & Readonly<typeof CONSTANTS>;
type SettingValues = ValuesOf<typeof SETTINGS>;
export type Environment = Readonly<Record<string, string | undefined>>;

/** The settings, read once and frozen. A setting without a value and without a default is null. */
export class Config extends (class {} as new () => Values) {
  /** The environment is kept, because the settings of extensions are read only when the extensions load. */
  readonly #environment: Environment;

  constructor(values: Values, environment: Environment = {}) {
    super();
    this.#environment = environment;
    Object.freeze(Object.assign(this, values));
  }

  /** The environment variables that the settings were read from, secrets included. */
  get environment(): Environment {
    return this.#environment;
  }

  /** Returns these settings with the addresses, keys and folder of a database that this process started. */
  withDatabase(
    { url: databaseUrl, migrationUrl: migrationDatabaseUrl }: { url: string; migrationUrl: string },
    masterKeys: readonly string[],
    databaseFolder: string | null = null,
  ): Config {
    return this.with({ databaseUrl, migrationDatabaseUrl, masterKeys, databaseFolder });
  }

  /** Returns the settings for a Namewatch inside another application, at this path below PUBLIC_URL. */
  withMountPath(path: string): Config {
    const publicUrl = this.publicUrl === null ? null : `${this.publicUrl.replace(/\/+$/, '')}${path}`;
    const logFormat = 'pretty'; // writes fields into the text, since the application's logger may show no fields
    return this.with({ publicUrl, basePath: `${this.basePath}${path}`, logFormat });
  }

  private with(changes: Partial<Values>): Config {
    return new Config({ ...this, ...changes }, this.#environment);
  }
}

/**
 * Reads the settings of the service from the environment.
 * @throws InvalidConfigurationError with all problems, not only the first
 */
export function readConfig(env = currentEnvironment(), constants = CONSTANTS): Config {
  const problems: string[] = suggestTypos(Object.values(SETTINGS), env);
  const addProblem = (problem: string) => void problems.push(problem);
  const settings = readSettings(SETTINGS, env, addProblem);
  const isSet = (name: string) => Boolean(env[name] || env[`${name}_FILE`]);
  const mailConfirmation = settings.emailConfirmation ?? isSet('SMTP_URL');
  checkTogether({ ...settings, mailConfirmation }, isSet, addProblem);
  if (problems.length > 0) throw new InvalidConfigurationError(problems);
  return new Config({ ...derive(settings, mailConfirmation), ...constants }, env);
}

export function findEndedSettings(env: Environment): string[] {
  return ENDED_SETTINGS.filter((name) => env[name] !== undefined);
}

export function currentEnvironment(): Environment {
  return process.env;
}

/** Settings by the name of their field in `Config`. */
export type SettingDefinitions = Readonly<Record<string, Setting<unknown>>>;
export type ValuesOf<Definitions extends SettingDefinitions> = {
  readonly [Field in keyof Definitions]: Definitions[Field] extends Setting<infer Value> ? Value : never;
};

/** Reads the settings. A setting that is missing, empty or wrong gets its default. */
export function readSettings<Definitions extends SettingDefinitions>(
  definitions: Definitions,
  env: Environment,
  addProblem: AddProblem,
): ValuesOf<Definitions> {
  return Object.fromEntries(
    Object.entries(definitions).map(([field, setting]) => {
      const { text, file } = readText(setting, env, addProblem);
      if (!text?.trim() && setting.isRequired) addProblem(`${setting.name} is required: ${setting.about}`);
      return [field, text?.trim() ? parse(setting, text, file, addProblem) : setting.default];
    }),
  ) as ValuesOf<Definitions>;
}

/** Reads the text of a setting. A secret may instead be in the file that `NAME_FILE` names. */
function readText({ name, isSecret }: Setting<unknown>, env: Environment, addProblem: AddProblem) {
  const file = isSecret ? env[`${name}_FILE`] : undefined;
  if (file && env[name]) addProblem(`${name} and ${name}_FILE are both set: one of them`);
  if (env[name] || !file) return { text: env[name] };
  return { text: readTextFile(file, (problem) => addProblem(`${name}_FILE: ${problem}`)), file };
}

function parse(setting: Setting<unknown>, text: string, file: string | undefined, addProblem: AddProblem): unknown {
  const { name, form, isSecret, default: standard } = setting;
  const value = parseSafely(form, text.trim(), file, (problem) => addProblem(`${name}: ${problem}`));
  if (value !== undefined) return value;
  addProblem(`${name} must be ${form.wanted}${form.isShown && !isSecret ? `, not "${text}"` : ''}`);
  return standard;
}

/** Drops an error that an extension's parser throws, because its message may repeat a secret. */
function parseSafely(form: Form<unknown>, text: string, file: string | undefined, addProblem: AddProblem): unknown {
  try {
    return form.parse(text, addProblem, file);
  } catch {
    return undefined;
  }
}

/** Finds variables whose names are one or two typing errors away from a setting, and names the setting. */
export function suggestTypos(settings: readonly Setting<unknown>[], env: Environment): string[] {
  const knownNames = new Set(settings.flatMap(({ name, isSecret }) => (isSecret ? [name, `${name}_FILE`] : [name])));
  return Object.keys(env)
    .filter((name) => /^[A-Z][A-Z0-9_]+$/.test(name) && !knownNames.has(name) && !ENDED_SETTINGS.includes(name))
    .flatMap((name) => {
      const suggestion = findIntended(name, [...knownNames]);
      return suggestion === undefined ? [] : [`${name} is no setting; ${suggestion} is`];
    });
}

function findIntended(typed: string, names: readonly string[]): string | undefined {
  return names
    .filter(({ length }) => Math.abs(length - typed.length) <= 2)
    .map((name) => ({ name, errors: countTypingErrors(name, typed) }))
    .filter(({ name, errors }) => errors <= (name.length > 8 ? 2 : 1))
    .sort((one, other) => one.errors - other.errors)[0]?.name;
}

/** Two swapped letters count as one error. */
function countTypingErrors(name: string, typed: string): number {
  const swapped = Array.from(
    { length: name.length - 1 },
    (_, at) => `${name.slice(0, at)}${name[at + 1]}${name[at]}${name.slice(at + 2)}`,
  );
  // In short names only a swap counts, since variables of other programs often have such names.
  if (name.length <= 5) return swapped.includes(typed) ? 1 : Infinity;
  return Math.min(distance(name, typed), ...swapped.map((swap) => 1 + distance(swap, typed)));
}

function checkTogether(
  settings: SettingValues & { readonly mailConfirmation: boolean },
  isSet: (name: string) => boolean,
  addProblem: AddProblem,
): void {
  const { timeScale, rdapBootstrapUrl, mailConfirmation, role } = settings;
  if (timeScale > 1 && rdapBootstrapUrl !== null)
    addProblem('TIME_SCALE above 1 needs RDAP_BOOTSTRAP_URL=off: real registries are never asked in fast motion');
  if (isSet('MIGRATION_DATABASE_URL') && !isSet('DATABASE_URL'))
    addProblem('MIGRATION_DATABASE_URL needs DATABASE_URL: the embedded database has a user of its own for migrations');
  if (isSet('DATABASE_URL') && !isSet('MASTER_KEY'))
    addProblem('MASTER_KEY is required with DATABASE_URL: make one with "openssl rand -base64 32"');
  if (isSet('MASTER_KEY_PREVIOUS') && !isSet('MASTER_KEY'))
    addProblem('MASTER_KEY_PREVIOUS needs MASTER_KEY: the key that takes the place of those');
  if (isSet('SMTP_URL') && !isSet('MAIL_FROM'))
    addProblem('MAIL_FROM is required with SMTP_URL: the address that notifications come from');
  if (mailConfirmation && !isSet('PUBLIC_URL') && role !== 'all')
    addProblem(
      'PUBLIC_URL is required with ROLE other than all where mail addresses have to confirm: where the links lead' +
        ' (NOTIFICATIONS_EMAIL_CONFIRMATION=false turns that off)',
    );
  checkOpenIdConnect(settings, isSet, addProblem);
}

function derive(settings: SettingValues, mailConfirmation: boolean) {
  const { masterKey, previousMasterKeys, emailConfirmation: _onlyIfSet, ...values } = settings;
  const { publicUrl, logFormat } = values;
  return {
    ...values,
    logFormat: logFormat ?? (process.stdout.isTTY ? ('pretty' as const) : ('json' as const)),
    /** The first key encrypts, and all keys decrypt. If the list is empty, the data directory holds a generated key. */
    masterKeys: masterKey === null ? [] : ([masterKey, ...previousMasterKeys] as readonly string[]),
    mailConfirmation,
    /** The path of PUBLIC_URL, such as `/names`, or empty. Requests arrive without this path, which a proxy removes. */
    basePath: publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/+$/, ''),
    /** The folder of the embedded PostgreSQL, set by `withDatabase`; null if an external PostgreSQL is used. */
    databaseFolder: null as string | null,
    /** The sign-in provider. null: there is none, and people sign in by key only. */
    openId: toOpenIdSettings(settings),
  };
}

export interface ClientSettings {
  readonly url: string | null;
  readonly key: string | null;
  readonly dataDir: string;
  readonly isDataDirGiven: boolean;
}

/**
 * Reads the settings with which the command line finds a running service. Options of a command overrule these values.
 */
export function readClientSettings(): ClientSettings {
  const { NAMEWATCH_URL: url, NAMEWATCH_KEY: key, DATA_DIR: given } = process.env;
  return {
    url: url || null,
    key: key || null,
    dataDir: given || SETTINGS.dataDir.default,
    isDataDirGiven: Boolean(given),
  };
}
