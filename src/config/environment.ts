import { type Sampler, SAMPLERS } from './tracing.js';
import { IsOptional, Matches, MinLength } from 'class-validator';
import {
  isAddressPort,
  isDropList,
  isHostPort,
  isHttpUrl,
  isMailAddress,
  isNat64Prefix,
  isNetwork,
  isOverride,
  isPortRange,
  ListOf,
  OneOf,
  Switch,
  TrustedProxies,
  Url,
  UrlOrOff,
  WholeNumber,
} from './setting-types.js';

const isDnsServer = (text: string) => text === 'off' || isAddressPort(text);
/** The base64 of 32 bytes. */
const MASTER_KEY = /^[A-Za-z0-9+/]{43}=$/;

/** An address, perhaps with a name before it; what sends mail reads it more closely. */
const MAIL_FROM = /^([^<>]*<[^<>\s@]+@[^<>\s@]+>|[^<>\s@]+@[^<>\s@]+)$/;

/** Every setting of the service by its name in the environment, with its default and its form. */
export class Environment {
  @MinLength(1) HOST = '127.0.0.1';
  @WholeNumber(0, 65_535) PORT = 3_000;
  /** Whose X-Forwarded-For is trusted: none, the nearest proxy's, or that of the listed networks. */
  @TrustedProxies() TRUST_PROXY = 'off';
  @OneOf('all', 'api', 'worker', 'scheduler') ROLE: 'all' | 'api' | 'worker' | 'scheduler' = 'all';
  @MinLength(1) DATA_DIR = '.data';
  /** Of processes that answer no requests. */
  @WholeNumber(0, 19) WORKER_NICENESS = 10;

  @IsOptional() @Url('postgres:', 'postgresql:') DATABASE_URL?: string;
  /** The same database as another user, who owns the tables. */
  @IsOptional() @Url('postgres:', 'postgresql:') MIGRATION_DATABASE_URL?: string;
  @WholeNumber(2, 200) DATABASE_POOL = 10;
  /** A server that recovers from a crash refuses connections for a while. */
  @WholeNumber(0, 3_600) DATABASE_WAIT_SECONDS = 60;
  @WholeNumber(1, 1_000) ACCOUNT_CONCURRENCY = 4;
  @IsOptional() @Url('redis:', 'rediss:') REDIS_URL?: string;

  @IsOptional()
  @Matches(MASTER_KEY, { message: 'MASTER_KEY must be the base64 of 32 bytes' })
  MASTER_KEY?: string;
  @ListOf('base64 keys of 32 bytes', (key) => MASTER_KEY.test(key)) MASTER_KEY_PREVIOUS: string[] = [];
  @IsOptional() BOOTSTRAP_API_KEY?: string;
  @MinLength(1) PLAN_DEFAULT = 'selfhost';
  @IsOptional() PLANS_FILE?: string;

  @Switch() ACCOUNT_ISOLATION = false;
  @ListOf('package names or paths', (name) => name !== '') EXTENSIONS: string[] = [];
  @Switch() SANDBOX = true;
  @Switch() DOCS = true;
  /** The dashboard at /ui. */
  @Switch() UI = true;

  @UrlOrOff() RDAP_BOOTSTRAP_URL = 'https://data.iana.org/rdap/dns.json';
  @ListOf('tld=url', isOverride(isHttpUrl)) RDAP_OVERRIDES: string[] = [];
  @ListOf('tld=host:port', isOverride(isHostPort)) WHOIS_OVERRIDES: string[] = [];
  @ListOf('ip:port, or off', isDnsServer) DNS_SERVERS: string[] = [];
  /** Official lists of names that are going to be deleted, each perhaps with another address. */
  @ListOf('uk, se, nu and au, each perhaps as list=url', isDropList) DROP_LISTS: string[] = [];
  @ListOf('networks such as 10.0.0.0/8', isNetwork) LOOKUP_ALLOW_NETWORKS: string[] = [];
  @ListOf('IPv6 prefixes such as 64:ff9b::/96', isNat64Prefix) NAT64_PREFIXES: string[] = [];
  @IsOptional() LOOKUP_BUDGETS_FILE?: string;
  @IsOptional() FRESHNESS_FILE?: string;

  @WholeNumber(1, 86_400) CONFIRMATION_SECONDS = 60;
  @WholeNumber(1, 86_400) CONFIRMATION_SECONDS_PENDING_DELETE = 10;
  @WholeNumber(1, 365) EXPIRING_WINDOW_DAYS = 30;
  @WholeNumber(1, 1_000) CHECK_FAILING_AFTER = 3;
  @WholeNumber(1, 1_000_000) BRAKE_DROPS_PER_HOUR = 20;
  @WholeNumber(1, 1_000) BRAKE_RECORD_CHANGES_PER_HOUR = 20;
  @WholeNumber(2, 600) LEASE_SECONDS = 60;
  @WholeNumber(1, 600) DRAIN_SECONDS = 20;
  @WholeNumber(1, 1_000_000) TIME_SCALE = 1;

  @ListOf('networks such as 10.0.0.0/8', isNetwork) WEBHOOK_ALLOW_NETWORKS: string[] = [];
  @ListOf('networks such as 10.0.0.0/8', isNetwork) WEBHOOK_DENY_NETWORKS: string[] = [];
  @ListOf('ports such as 443 or 1024-65535', isPortRange) WEBHOOK_PORTS: string[] = ['443', '1024-65535'];
  @IsOptional() WEBHOOK_CA_FILE?: string;
  @IsOptional() @Url('smtp:', 'smtps:') SMTP_URL?: string;
  @IsOptional()
  @Matches(MAIL_FROM, { message: 'MAIL_FROM must be an address such as "Namewatch <alerts@example.com>"' })
  MAIL_FROM?: string;
  @IsOptional() @Url('http:', 'https:') PUBLIC_URL?: string;
  /** Not set: on where there is an SMTP_URL. */
  @IsOptional() @Switch() NOTIFICATIONS_EMAIL_CONFIRMATION?: boolean;
  @ListOf('email addresses', isMailAddress) TRUSTED_MAILBOXES: string[] = [];
  @WholeNumber(1, 3_650) EVENT_RETENTION_DAYS = 30;
  @WholeNumber(1, 3_650) AUDIT_RETENTION_DAYS = 365;
  /** Off: nothing leaves this process for a receiver; what is due stays in the database until some process sends. */
  @Switch() SENDING = true;

  @OneOf('silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace') LOG_LEVEL = 'info';
  @IsOptional() @OneOf('pretty', 'json') LOG_FORMAT?: 'pretty' | 'json';
  @IsOptional() @WholeNumber(0, 65_535) METRICS_PORT?: number;
  /** Metrics need no key, so they are served on loopback by default. */
  @MinLength(1) METRICS_HOST = '127.0.0.1';
  /** Names with a metric of their own; everybody who may read metrics reads these names. */
  @WholeNumber(0, 100_000) METRICS_DOMAINS = 0;

  /** Standard variables of OpenTelemetry; its SDK reads the others itself, see open-telemetry-tracer.ts. */
  @IsOptional() @Url('http:', 'https:') OTEL_EXPORTER_OTLP_ENDPOINT?: string;
  @IsOptional() @Url('http:', 'https:') OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string;
  @IsOptional() @OneOf('otlp', 'none') OTEL_TRACES_EXPORTER?: 'otlp' | 'none';
  @MinLength(1) OTEL_SERVICE_NAME = 'namewatch';
  @OneOf(...SAMPLERS) OTEL_TRACES_SAMPLER: Sampler = 'parentbased_always_on';
  @Matches(/^(0(\.\d+)?|1(\.0+)?)$/, { message: 'OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1' })
  OTEL_TRACES_SAMPLER_ARG = '1';
  @Switch() OTEL_SDK_DISABLED = false;
}

/** Those whose value may come from a file instead, by `NAME_FILE`; their values are never printed. */
export const SECRETS: readonly (keyof Environment)[] = [
  'DATABASE_URL',
  'MIGRATION_DATABASE_URL',
  'REDIS_URL',
  'MASTER_KEY',
  'MASTER_KEY_PREVIOUS',
  'BOOTSTRAP_API_KEY',
  'SMTP_URL',
];
