import type { ProcessRole } from './process-role.js';
import type { CacheTtlSeconds } from './cache-ttl.js';
import type { Budgets } from './budgets.js';
import type { DropListUrls } from './drop-lists.js';
import type { TracingSettings } from './tracing.js';
import type { PlanLimits } from '../kernel/plan-limits.js';

/**
 * Parts of the configuration. Each is an injection token of its own: a class takes the parts it needs, and a test of it
 * makes no more than these.
 */
export abstract class DatabaseConfig {
  /** null: the embedded PostgreSQL of the data directory. */
  abstract readonly databaseUrl: string | null;
  abstract readonly databasePool: number;
  abstract readonly role: ProcessRole;
}

export abstract class QueueConfig {
  /** null: BullMQ on PostgreSQL. */
  abstract readonly redisUrl: string | null;
  abstract readonly databaseUrl: string | null;
  abstract readonly role: ProcessRole;
}

export abstract class ConcurrencyConfig {
  /** Concurrent requests of one account in this process. */
  abstract readonly accountConcurrency: number;
  abstract readonly databasePool: number;
}

export abstract class MetricsConfig {
  abstract readonly role: ProcessRole;
  abstract readonly metricsHost: string;
  /** null: no metrics are served; 0 takes a free port. */
  abstract readonly metricsPort: number | null;
  /** How many names have a metric with their expiry; 0: none. */
  abstract readonly domainExpiryLimit: number;
}

export abstract class TracingConfig {
  /** null: nothing is traced. */
  abstract readonly tracing: TracingSettings | null;
}

export abstract class SecretsConfig {
  /** The base64 of 32 bytes each; the first encrypts, all decrypt. */
  abstract readonly masterKeys: readonly string[];
}

export abstract class PlansConfig {
  abstract readonly plans: Readonly<Record<string, PlanLimits>>;
  abstract readonly defaultPlan: string;
}

export abstract class LeaseConfig {
  abstract readonly leaseSeconds: number;
}

export abstract class WorkerConfig extends LeaseConfig {
  abstract readonly databasePool: number;
}

export abstract class IsolationConfig {
  /** Whether an account may learn nothing from checks that other accounts caused. */
  abstract readonly accountIsolation: boolean;
}

export abstract class LookupConfig {
  abstract readonly sandbox: boolean;
  /** Prefixes by which this network reaches IPv4 (RFC 6052). */
  abstract readonly nat64Prefixes: readonly string[];
  abstract readonly lookup: {
    /** null: nothing is fetched and the built-in tables are left out. */
    readonly bootstrapUrl: string | null;
    readonly rdapOverrides: ReadonlyMap<string, string>;
    readonly whoisOverrides: ReadonlyMap<string, string>;
    readonly dnsServers: readonly string[];
    /** The addresses of the drop lists that are used. */
    readonly dropLists: DropListUrls;
    readonly allowNetworks: readonly string[];
    readonly freshness: CacheTtlSeconds;
    readonly budgets: Budgets;
  };
}

export abstract class WatchConfig extends IsolationConfig {
  abstract readonly watch: {
    readonly confirmation: number;
    readonly confirmationFromPendingDelete: number;
    readonly expiringWindowDays: number;
    readonly checkFailingAfter: number;
    /** Drops of one registry operator in an hour that trigger no canary. */
    readonly brakeDropsPerHour: number;
    /** Names of one account with the same change of their records in an hour that are sent one by one. */
    readonly brakeRecordChangesPerHour: number;
  };
}

/** What decides for how long an observation answers checks. */
export abstract class FreshnessConfig {
  abstract readonly lookup: { readonly freshness: CacheTtlSeconds };
  abstract readonly watch: { readonly expiringWindowDays: number };
}

export abstract class WebhookConfig {
  /** Prefixes by which this network reaches IPv4 (RFC 6052). */
  abstract readonly nat64Prefixes: readonly string[];
  abstract readonly publicUrl: string | null;
  abstract readonly webhooks: {
    readonly allowNetworks: readonly string[];
    /** Never reached, even inside `allowNetworks`. */
    readonly denyNetworks: readonly string[];
    readonly ports: readonly string[];
    /** PEM text of extra authorities. */
    readonly ca: string | null;
  };
}

export abstract class MailConfig {
  abstract readonly publicUrl: string | null;
  /** Where the service listens: links lead there without a public URL. */
  abstract readonly host: string;
  abstract readonly port: number;
  /** Whether names have a page at the public URL. */
  abstract readonly ui: boolean;
  abstract readonly mail: {
    readonly smtpUrl: string | null;
    readonly from: string | null;
    /** Whether an address has to confirm before it gets mail. */
    readonly confirmation: boolean;
    /** The administrator's own addresses: the first account need not confirm them. */
    readonly trustedMailboxes: readonly string[];
  };
}

export abstract class DeliveryConfig extends LeaseConfig {
  /** Whether deliveries, digests and confirmation mails go out; off, they stay pending. */
  abstract readonly sending: boolean;
}

export abstract class RetentionConfig {
  /** For how long events can be read and replayed. */
  abstract readonly eventRetentionDays: number;
}

export abstract class AuditConfig {
  /** For how long records of the audit trail are kept. */
  abstract readonly auditRetentionDays: number;
}
