import { BUILT_IN_BUDGETS, parseBudgets } from './budgets.js';
import { BUILT_IN_PLANS, parsePlans } from './plans.js';
import { PROCESS_ROLES } from './process-role.js';
import {
  anyText,
  apiKey,
  type DropListUrls,
  dropLists,
  httpUrlOrOff,
  isAddressPort,
  isHostPort,
  isHttpUrl,
  isNat64Prefix,
  jsonFile,
  listOf,
  masterKey,
  masterKeys,
  matching,
  networks,
  oneOf,
  onOrOff,
  optional,
  overrides,
  type Setting,
  setting,
  textFile,
  trustedProxies,
  postgresUrl,
  redisUrl,
  url,
  wholeNumber,
} from './setting-forms.js';
import { SIGN_IN } from './sign-in-settings.js';

const PROCESS = {
  host: setting('HOST', anyText, {
    default: '127.0.0.1',
    differs: 'what may reach it',
    about: 'Listen address; `0.0.0.0` for all interfaces.',
  }),
  port: setting('PORT', wholeNumber(0, 65_535), {
    default: 3_000,
    differs: 'what else listens there',
    about: 'Listen port; 0 picks a free one, shown in the first line of output and in the file `address`.',
  }),
  trustProxy: setting('TRUST_PROXY', trustedProxies, {
    default: false,
    differs: 'the proxy in front',
    about: 'Whose `X-Forwarded-For` is trusted: `off` none, `on` the one proxy in front, networks for several proxies.',
  }),
  role: setting('ROLE', oneOf(...PROCESS_ROLES), {
    default: 'all',
    differs: 'how many processes',
    about: 'Any number of processes of each role may share a database. Every role serves `/livez` and `/readyz`.',
  }),
  dataDir: setting('DATA_DIR', anyText, {
    default: '.data',
    differs: 'the disk',
    about:
      'The embedded PostgreSQL (`pg/`), `first-key`, `master-key`, `address` and `service.json`. One process at a time.',
  }),
  leaseSeconds: setting('LEASE_SECONDS', wholeNumber(2, 600), {
    default: 60,
    differs: 'how soon a crash has to be repaired',
    about:
      'How long a process may hold a claimed check or delivery. After a crash it is repeated this much later. No ' +
      'lookup or attempt takes longer.',
  }),
  drainSeconds: setting('DRAIN_SECONDS', wholeNumber(1, 600), {
    default: 20,
    differs: 'how long the supervisor waits',
    about:
      'How long running requests and jobs may take when the process stops, after five seconds of service that follow SIGTERM.',
  }),
  timeScale: setting('TIME_SCALE', wholeNumber(1, 1_000_000), {
    default: 1,
    differs: 'demos and tests',
    about:
      'Divides intervals, confirmation times, retries and cache times, for demos and tests. Above 1 only with ' +
      '`RDAP_BOOTSTRAP_URL=off`, so that real registries are never queried faster.',
  }),
  ui: setting('UI', onOrOff, {
    default: true,
    differs: 'an API alone',
    about: 'Serves the [dashboard](dashboard.md) at `/ui`; `/` leads there.',
  }),
  logLevel: setting('LOG_LEVEL', oneOf('silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'), {
    default: 'info',
    differs: 'how much is kept of logs',
    about: 'The least severe lines that are written.',
  }),
  logFormat: optional('LOG_FORMAT', oneOf('pretty', 'json'), {
    differs: 'what reads the log',
    about: 'Not set: `pretty` on a terminal, else `json`.',
  }),
  metricsHost: setting('METRICS_HOST', anyText, {
    default: '127.0.0.1',
    differs: 'where Prometheus is',
    about: 'Listen address of `METRICS_PORT`. Metrics need no key: use another address only in a protected network.',
  }),
  metricsPort: optional('METRICS_PORT', wholeNumber(0, 65_535), {
    differs: 'whether Prometheus is there',
    about:
      'Port for Prometheus, `/metrics` on `METRICS_HOST`; 0 picks a free one, shown in the log; ' +
      '[observability.md](observability.md). Not set: none.',
  }),
};

const STORAGE = {
  databaseUrl: optional('DATABASE_URL', postgresUrl, {
    differs: 'whose PostgreSQL',
    about:
      'PostgreSQL 15 or newer, or several hosts of which one takes writes ([database.md](database.md#failover)). Not ' +
      'set: the embedded one in `DATA_DIR`.',
    isSecret: true,
  }),
  migrationDatabaseUrl: optional('MIGRATION_DATABASE_URL', postgresUrl, {
    differs: 'users of the database',
    about:
      'The same database as the user who owns its tables, for migrations only; `DATABASE_URL` then only needs to read ' +
      'and write rows ([database.md](database.md#users)). Not set: `DATABASE_URL` is used.',
    isSecret: true,
  }),
  databasePool: setting('DATABASE_POOL', wholeNumber(2, 200), {
    default: 10,
    differs: 'what PostgreSQL admits',
    about:
      "Connections in each of the process's pools; see [the total](#connections-to-postgresql). As many requests are " +
      'served at a time.',
  }),
  redisUrl: optional('REDIS_URL', redisUrl, {
    differs: 'whether there is a Redis',
    about:
      'Redis or Valkey, by Sentinels and with TLS too ([redis.md](redis.md)). Not set: the queue is in PostgreSQL.',
    isSecret: true,
  }),
  masterKey: optional('MASTER_KEY', masterKey, {
    differs: 'a secret of its own',
    about:
      'Encrypts the [data key](#a-new-master-key) (`openssl rand -base64 32`). Not set: generated in `DATA_DIR`. ' +
      'Required with `DATABASE_URL`. Store a copy apart from the backups: without it the secrets are lost.',
    isSecret: true,
  }),
  previousMasterKeys: setting('MASTER_KEY_PREVIOUS', masterKeys, {
    default: [],
    differs: 'a master key that is being replaced',
    about: 'Earlier or coming master keys, with `MASTER_KEY`, while it is [replaced](#a-new-master-key).',
    isSecret: true,
  }),
  eventRetentionDays: setting('EVENT_RETENTION_DAYS', wholeNumber(1, 3_650), {
    default: 30,
    differs: 'how far clients fall behind',
    about: 'Events are deleted after this many days; an older cursor answers 410.',
  }),
  auditRetentionDays: setting('AUDIT_RETENTION_DAYS', wholeNumber(1, 3_650), {
    default: 365,
    differs: 'law and house rules',
    about:
      'Records of the [audit trail](audit.md) are deleted after this many days; those of refused credentials after 30 ' +
      'at the latest.',
  }),
};

const ACCOUNTS = {
  bootstrapApiKey: optional('BOOTSTRAP_API_KEY', apiKey, {
    differs: 'unattended installs',
    about:
      'Creates the first account with this key, scope `admin`, for unattended installs. All processes may start with ' +
      'it at the same time.',
    isSecret: true,
  }),
  defaultPlan: setting('PLAN_DEFAULT', anyText, {
    default: 'selfhost',
    differs: 'what is sold',
    about:
      'Plan of accounts that are created without one: `free`, `pro`, `business`, `selfhost`, or one of `PLANS_FILE` ' +
      'or of an extension.',
  }),
  plans: setting('PLANS_FILE', jsonFile(BUILT_IN_PLANS, parsePlans), {
    default: BUILT_IN_PLANS,
    differs: 'what is sold',
    about: 'Laid over the built-in plans, see below.',
  }),
};

const LOOKUPS = {
  extensions: setting(
    'EXTENSIONS',
    listOf('package names or paths', (name) => name !== ''),
    {
      default: [],
      differs: 'what was added',
      about: 'Extensions, loaded before anything starts; see [extending](extending.md).',
    },
  ),
  sandbox: setting('SANDBOX', onOrOff, {
    default: true,
    differs: 'whether integrators try things here',
    about: 'The sandbox answers names under `.test`, without a network.',
  }),
  rdapBootstrapUrl: setting('RDAP_BOOTSTRAP_URL', httpUrlOrOff, {
    default: 'https://data.iana.org/rdap/dns.json',
    differs: 'networks with a mirror, or none',
    about:
      'RDAP servers of all TLDs (RFC 9224); fetched daily. `off`: nothing is fetched and the built-in table is not ' +
      'used, so only overrides and the sandbox are queried.',
  }),
  rdapOverrides: setting('RDAP_OVERRIDES', overrides('url', isHttpUrl), {
    default: new Map<string, string>(),
    differs: 'private TLDs',
    about: 'RDAP servers of TLDs. Plain http is used only with servers listed here.',
  }),
  whoisOverrides: setting('WHOIS_OVERRIDES', overrides('host:port', isHostPort), {
    default: new Map<string, string>(),
    differs: 'private TLDs',
    about: 'WHOIS servers, queried where a TLD has no RDAP.',
  }),
  dnsServers: setting(
    'DNS_SERVERS',
    listOf('ip:port, or off', (text) => text === 'off' || isAddressPort(text)),
    {
      default: [],
      differs: 'private zones',
      about:
        "Queried as if they were the parent zone's servers. Not set: found through the system's resolver. `off`: no " +
        'DNS veto; checks of available names ask the registry twice.',
    },
  ),
  dropLists: setting('DROP_LISTS', dropLists, {
    default: new Map() as DropListUrls,
    differs: 'which lists it may read, and where',
    about:
      "The registries' own lists of names that they are going to delete, see " +
      '[watching](watching.md#official-drop-lists). `list=url` reads a copy from elsewhere.',
  }),
  lookupAllowNetworks: setting('LOOKUP_ALLOW_NETWORKS', networks, {
    default: [],
    differs: 'private registries',
    about: 'Networks that lookups may reach although they are not public.',
  }),
  nat64Prefixes: setting('NAT64_PREFIXES', listOf('IPv6 prefixes such as 64:ff9b::/96', isNat64Prefix), {
    default: [],
    differs: 'the network',
    about: 'Through these your network reaches IPv4 (RFC 6052). The address guard checks the IPv4 address inside.',
  }),
  budgets: setting('LOOKUP_BUDGETS_FILE', jsonFile(BUILT_IN_BUDGETS, parseBudgets), {
    default: BUILT_IN_BUDGETS,
    differs: 'agreements with registries',
    about: 'Laid over the built-in rate limits of registry operators, see [budgets.md](budgets.md).',
  }),
};

const WATCHING = {
  confirmationSeconds: setting('CONFIRMATION_SECONDS', wholeNumber(1, 86_400), {
    default: 60,
    differs: 'speed against certainty',
    about:
      'Seconds between the first "not found" and the lookup that confirms it, before a watched name is `available`.',
  }),
  pendingDeleteConfirmationSeconds: setting('CONFIRMATION_SECONDS_PENDING_DELETE', wholeNumber(1, 86_400), {
    default: 10,
    differs: 'the same',
    about: 'The same for a name that was pending delete.',
  }),
};

const NOTIFICATIONS = {
  sending: setting('SENDING', onOrOff, {
    default: true,
    differs: 'a copy beside the original',
    about:
      '`off`: nothing is sent. Events and deliveries are still stored and stay pending, confirmations and ' +
      'invitations wait; a process with `on` sends them. Set it alike for all processes; meant for ' +
      '[a restored copy](backup.md#restore).',
  }),
  webhookAllowNetworks: setting('WEBHOOK_ALLOW_NETWORKS', networks, {
    default: [],
    differs: 'receivers in the own network',
    about: "Networks that webhooks may reach although they are not public, or are this machine's own public addresses.",
  }),
  webhookCa: optional('WEBHOOK_CA_FILE', textFile, {
    differs: 'their certificates',
    about: 'PEM of certificate authorities that webhooks trust in addition to the usual ones.',
  }),
  smtpUrl: optional('SMTP_URL', url('smtp:', 'smtps:'), {
    differs: 'whose mail server',
    about:
      'The mail server, `smtp://user:password@host:port` or `smtps://…`. Not set: email channels are accepted, but ' +
      'inactive, and their deliveries fail with `mail_not_configured`.',
    isSecret: true,
  }),
  mailFrom: optional(
    'MAIL_FROM',
    // This is a first check. The code that sends mail checks the address more strictly.
    matching(
      'an address such as "Namewatch <alerts@example.com>"',
      /^([^<>]*<[^<>\s@]+@[^<>\s@]+>|[^<>\s@]+@[^<>\s@]+)$/,
    ),
    { differs: 'whose domain', about: 'Sender address of mails. Required with `SMTP_URL`.' },
  ),
  publicUrl: optional('PUBLIC_URL', url('http:', 'https:'), {
    differs: 'its address',
    about:
      'Public address of this service, for links in mails such as the one to unsubscribe. Its path, which a proxy ' +
      'removes, begins all other links. Webhooks to its host are refused.',
  }),
  emailConfirmation: optional('NOTIFICATIONS_EMAIL_CONFIRMATION', onOrOff, {
    differs: 'whether strangers add addresses',
    about:
      'Whether an address must confirm before it gets mail, see [notifications.md](notifications.md). Not set: `on` if ' +
      '`SMTP_URL` is set. `on` needs `PUBLIC_URL` unless `ROLE` is `all`.',
  }),
};

const GROUPS = {
  process: PROCESS,
  storage: STORAGE,
  accounts: ACCOUNTS,
  signIn: SIGN_IN,
  lookups: LOOKUPS,
  watching: WATCHING,
  notifications: NOTIFICATIONS,
};

export const SETTINGS = {
  ...PROCESS,
  ...STORAGE,
  ...ACCOUNTS,
  ...SIGN_IN,
  ...LOOKUPS,
  ...WATCHING,
  ...NOTIFICATIONS,
};

/** The settings that people usually change. They are the first table of docs/configuration.md. */
const USUAL: readonly (keyof typeof SETTINGS)[] = [
  ...(['host', 'port', 'trustProxy', 'publicUrl', 'role', 'dataDir', 'logLevel', 'metricsPort'] as const),
  ...(['databaseUrl', 'masterKey', 'redisUrl', 'bootstrapApiKey', 'defaultPlan', 'plans'] as const),
  ...(['smtpUrl', 'mailFrom', 'oidcIssuer', 'oidcClientId', 'oidcClientSecret', 'extensions'] as const),
];

const isUsual = (setting: Setting<unknown>) => USUAL.some((field) => SETTINGS[field] === setting);

/** The tables of docs/configuration.md: first the settings in USUAL, then the others by group. */
export const SETTING_TABLES: Readonly<Record<string, readonly Setting<unknown>[]>> = {
  usual: USUAL.map((field) => SETTINGS[field]),
  ...Object.fromEntries(
    Object.entries(GROUPS).flatMap(([group, settings]) => {
      const others = Object.values<Setting<unknown>>(settings).filter((one) => !isUsual(one));
      return others.length > 0 ? [[group, others] as const] : [];
    }),
  ),
};

/** Former settings. At start, the service warns if such a setting is still set. The setting has no effect. */
export const ENDED_SETTINGS: readonly string[] = [
  'ACCOUNT_CONCURRENCY',
  'ACCOUNT_ISOLATION',
  'BRAKE_DROPS_PER_HOUR',
  'BRAKE_RECORD_CHANGES_PER_HOUR',
  'CHECK_FAILING_AFTER',
  'DATABASE_WAIT_SECONDS',
  'DOCS',
  'EXPIRING_WINDOW_DAYS',
  'FRESHNESS_FILE',
  'METRICS_DOMAINS',
  'OIDC_SCOPES',
  'SESSION_IDLE_DAYS',
  'SESSION_MAX_DAYS',
  'TRUSTED_MAILBOXES',
  'WEBHOOK_DENY_NETWORKS',
  'WEBHOOK_PORTS',
  'WORKER_NICENESS',
];
