import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { idOfApiKey } from '../kernel/api-key-format.js';
import type { PlanLimits } from '../kernel/plan-limits.js';
import { BUILT_IN_BUDGETS, parseBudgets, type Budgets } from './budgets.js';
import { BUILT_IN_CACHE_TTL, parseCacheTtl, type CacheTtlSeconds } from './cache-ttl.js';
import { type DropListUrls, parseDropLists } from './drop-lists.js';
import { Environment } from './environment.js';
import { InvalidConfigurationError } from './invalid-configuration.error.js';
import { parsePlans } from './plans.js';
import type { WatchConfig } from './sections.js';
import { splitNetworks } from './setting-types.js';
import { toTracingSettings, type TracingSettings } from './tracing.js';
import { parseEnv, suggestTypos, readJsonFile, readTextFile } from './parse-env.js';

/** The settings as the service uses them, read once and frozen. Durations in milliseconds, `null` for "not set". */
export class Config {
  declare readonly host: string;
  declare readonly port: number;
  /** true: the proxy that is connected to us, whatever its address is. */
  declare readonly trustProxy: boolean | string[];
  declare readonly role: Environment['ROLE'];
  declare readonly dataDir: string;
  /** Unix niceness of processes that answer no requests. */
  declare readonly workerNiceness: number;
  /** null: the embedded PostgreSQL of the data directory. */
  declare readonly databaseUrl: string | null;
  /** Where the tables' owner connects, to migrate; null: as everybody else does. */
  declare readonly migrationDatabaseUrl: string | null;
  declare readonly databasePool: number;
  /** Requests of one account that work at a time in this process. */
  declare readonly accountConcurrency: number;
  /** null: BullMQ on PostgreSQL. */
  declare readonly redisUrl: string | null;
  /** The base64 of 32 bytes each; the first encrypts, all decrypt. Empty: made in the data directory. */
  declare readonly masterKeys: readonly string[];
  declare readonly bootstrapApiKey: string | null;
  declare readonly defaultPlan: string;
  declare readonly plans: Readonly<Record<string, PlanLimits>>;
  /** Whether an account may learn nothing from checks that other accounts caused. */
  declare readonly accountIsolation: boolean;
  /** Packages and paths, to be loaded before anything starts. */
  declare readonly extensions: readonly string[];
  declare readonly sandbox: boolean;
  declare readonly docs: boolean;
  declare readonly ui: boolean;
  declare readonly lookup: {
    /** null: nothing is fetched and the built-in tables are left out. */
    readonly bootstrapUrl: string | null;
    readonly rdapOverrides: ReadonlyMap<string, string>;
    readonly whoisOverrides: ReadonlyMap<string, string>;
    readonly dnsServers: readonly string[];
    readonly dropLists: DropListUrls;
    readonly allowNetworks: readonly string[];
    readonly freshness: CacheTtlSeconds;
    readonly budgets: Budgets;
  };
  declare readonly watch: WatchConfig['watch'];
  declare readonly leaseSeconds: number;
  declare readonly drainSeconds: number;
  /** How long a start waits for PostgreSQL. */
  declare readonly databaseWaitSeconds: number;
  declare readonly timeScale: number;
  /** Prefixes by which this network reaches IPv4 (RFC 6052). */
  declare readonly nat64Prefixes: readonly string[];
  declare readonly webhooks: {
    readonly allowNetworks: readonly string[];
    /** Never reached, even where they are let through. */
    readonly denyNetworks: readonly string[];
    readonly ports: readonly string[];
    /** PEM text of extra authorities. */
    readonly ca: string | null;
  };
  declare readonly mail: {
    readonly smtpUrl: string | null;
    readonly from: string | null;
    /** Whether an address has to confirm before it gets mail. */
    readonly confirmation: boolean;
    /** The operator's own addresses: the first account need not ask them. */
    readonly trustedMailboxes: readonly string[];
  };
  /** Whether deliveries, digests and confirmation mails go out; off, they stay pending. */
  declare readonly sending: boolean;
  /** For how long events can be read and replayed. */
  declare readonly eventRetentionDays: number;
  declare readonly auditRetentionDays: number;
  declare readonly publicUrl: string | null;
  /** `/names`, or empty: the path of the public URL, which requests here no longer have. */
  declare readonly basePath: string;
  /** null: no metrics are served; 0 takes a free port. */
  declare readonly metricsPort: number | null;
  declare readonly metricsHost: string;
  declare readonly domainExpiryLimit: number;
  declare readonly tracing: TracingSettings | null;
  declare readonly log: { readonly level: string; readonly format: 'pretty' | 'json' };

  constructor(values: Omit<Config, 'withDatabase' | 'withMountPath'>) {
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
    const log = { ...this.log, format: 'pretty' } as const; // sentences: the host's logger may show no fields
    return new Config({ ...this, publicUrl, basePath: `${this.basePath}${path}`, log });
  }
}

/**
 * Reads the environment; the only place that does.
 * @throws InvalidConfigurationError naming everything that is wrong at once.
 */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const problems: string[] = [...suggestTypos(env)];
  const addProblem = (problem: string): undefined => void problems.push(problem);
  const settings = plainToInstance(Environment, parseEnv(env, addProblem), { exposeDefaultValues: true });
  for (const error of validateSync(settings)) problems.push(...Object.values(error.constraints ?? {}));

  const json = (name: 'PLANS_FILE' | 'FRESHNESS_FILE' | 'LOOKUP_BUDGETS_FILE') =>
    settings[name] === undefined ? undefined : readJsonFile(name, settings[name], addProblem);
  const { plans, problems: planProblems } = parsePlans(json('PLANS_FILE'));
  problems.push(...planProblems);
  // An extension may have the plans: then they are checked once it has loaded them.
  if (settings.EXTENSIONS.length === 0 && !Object.hasOwn(plans, settings.PLAN_DEFAULT))
    addProblem(`PLAN_DEFAULT must be one of ${Object.keys(plans).join(', ')}`);
  const freshnessFile = json('FRESHNESS_FILE');
  const freshness = freshnessFile === undefined ? BUILT_IN_CACHE_TTL : parseCacheTtl(freshnessFile, addProblem);
  const budgetsFile = json('LOOKUP_BUDGETS_FILE');
  const budgets = budgetsFile === undefined ? BUILT_IN_BUDGETS : parseBudgets(budgetsFile, addProblem);
  if (settings.TIME_SCALE > 1 && settings.RDAP_BOOTSTRAP_URL !== 'off')
    addProblem('TIME_SCALE above 1 needs RDAP_BOOTSTRAP_URL=off: real registries are never asked in fast motion');
  if (settings.MIGRATION_DATABASE_URL !== undefined && settings.DATABASE_URL === undefined)
    addProblem('MIGRATION_DATABASE_URL needs DATABASE_URL: the embedded database has a user of its own for migrations');
  if (settings.DATABASE_URL !== undefined && settings.MASTER_KEY === undefined)
    addProblem('MASTER_KEY is required with DATABASE_URL: make one with "openssl rand -base64 32"');
  if (settings.BOOTSTRAP_API_KEY !== undefined && idOfApiKey(settings.BOOTSTRAP_API_KEY) === null)
    addProblem('BOOTSTRAP_API_KEY is not a Namewatch key: make one with "npx namewatch key generate"');
  if (settings.SMTP_URL !== undefined && settings.MAIL_FROM === undefined)
    addProblem('MAIL_FROM is required with SMTP_URL: the address that notifications come from');
  const confirmation = settings.NOTIFICATIONS_EMAIL_CONFIRMATION ?? settings.SMTP_URL !== undefined;
  if (confirmation && settings.PUBLIC_URL === undefined && settings.ROLE !== 'all')
    addProblem(
      'PUBLIC_URL is required with ROLE other than all where mail addresses have to confirm: where the links lead' +
        ' (NOTIFICATIONS_EMAIL_CONFIRMATION=false turns that off)',
    );
  const ca =
    settings.WEBHOOK_CA_FILE === undefined
      ? null
      : readTextFile('WEBHOOK_CA_FILE', settings.WEBHOOK_CA_FILE, addProblem);
  if (problems.length > 0) throw new InvalidConfigurationError(problems);

  return new Config({
    host: settings.HOST,
    port: settings.PORT,
    trustProxy: parseTrustedProxies(settings.TRUST_PROXY),
    role: settings.ROLE,
    workerNiceness: settings.WORKER_NICENESS,
    dataDir: settings.DATA_DIR,
    databaseUrl: settings.DATABASE_URL ?? null,
    migrationDatabaseUrl: settings.MIGRATION_DATABASE_URL ?? null,
    databasePool: settings.DATABASE_POOL,
    databaseWaitSeconds: settings.DATABASE_WAIT_SECONDS,
    accountConcurrency: settings.ACCOUNT_CONCURRENCY,
    redisUrl: settings.REDIS_URL ?? null,
    masterKeys: settings.MASTER_KEY ? [settings.MASTER_KEY, ...settings.MASTER_KEY_PREVIOUS] : [],
    bootstrapApiKey: settings.BOOTSTRAP_API_KEY ?? null,
    defaultPlan: settings.PLAN_DEFAULT,
    plans,
    accountIsolation: settings.ACCOUNT_ISOLATION,
    extensions: settings.EXTENSIONS,
    sandbox: settings.SANDBOX,
    docs: settings.DOCS,
    ui: settings.UI,
    lookup: {
      bootstrapUrl: settings.RDAP_BOOTSTRAP_URL === 'off' ? null : settings.RDAP_BOOTSTRAP_URL,
      rdapOverrides: parseOverrides(settings.RDAP_OVERRIDES),
      whoisOverrides: parseOverrides(settings.WHOIS_OVERRIDES),
      dnsServers: settings.DNS_SERVERS,
      dropLists: parseDropLists(settings.DROP_LISTS),
      allowNetworks: settings.LOOKUP_ALLOW_NETWORKS,
      freshness,
      budgets,
    },
    watch: {
      confirmation: settings.CONFIRMATION_SECONDS * 1_000,
      confirmationFromPendingDelete: settings.CONFIRMATION_SECONDS_PENDING_DELETE * 1_000,
      expiringWindowDays: settings.EXPIRING_WINDOW_DAYS,
      checkFailingAfter: settings.CHECK_FAILING_AFTER,
      brakeDropsPerHour: settings.BRAKE_DROPS_PER_HOUR,
      brakeRecordChangesPerHour: settings.BRAKE_RECORD_CHANGES_PER_HOUR,
    },
    leaseSeconds: settings.LEASE_SECONDS,
    drainSeconds: settings.DRAIN_SECONDS,
    timeScale: settings.TIME_SCALE,
    nat64Prefixes: settings.NAT64_PREFIXES,
    webhooks: {
      allowNetworks: settings.WEBHOOK_ALLOW_NETWORKS,
      denyNetworks: settings.WEBHOOK_DENY_NETWORKS,
      ports: settings.WEBHOOK_PORTS,
      ca: ca ?? null,
    },
    mail: {
      smtpUrl: settings.SMTP_URL ?? null,
      from: settings.MAIL_FROM ?? null,
      confirmation,
      trustedMailboxes: settings.TRUSTED_MAILBOXES,
    },
    sending: settings.SENDING,
    eventRetentionDays: settings.EVENT_RETENTION_DAYS,
    auditRetentionDays: settings.AUDIT_RETENTION_DAYS,
    publicUrl: settings.PUBLIC_URL ?? null,
    basePath: settings.PUBLIC_URL === undefined ? '' : pathOf(settings.PUBLIC_URL),
    metricsPort: settings.METRICS_PORT ?? null,
    metricsHost: settings.METRICS_HOST,
    domainExpiryLimit: settings.METRICS_DOMAINS,
    tracing: toTracingSettings(settings),
    log: { level: settings.LOG_LEVEL, format: settings.LOG_FORMAT ?? (process.stdout.isTTY ? 'pretty' : 'json') },
  });
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
  return { url, key, dataDir: given || new Environment().DATA_DIR, isDataDirGiven: Boolean(given) };
}

function pathOf(publicUrl: string): string {
  return new URL(publicUrl).pathname.replace(/\/+$/, '');
}

function parseOverrides(parts: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    parts.map((part) => [part.slice(0, part.indexOf('=')).toLowerCase(), part.slice(part.indexOf('=') + 1)]),
  );
}

function parseTrustedProxies(setting: string): boolean | string[] {
  if (setting === 'off' || setting === 'false') return false;
  return setting === 'on' || setting === 'true' ? true : splitNetworks(setting);
}
