import type { Config } from './config.js';

/** Makes the base class of an injection token for some settings. Tests then provide only these settings. */
function part<Field extends Exclude<keyof Config, 'environment' | 'withDatabase' | 'withMountPath'>>() {
  return class {} as unknown as abstract new () => Pick<Config, Field>;
}

export abstract class DatabaseConfig extends part<'databaseUrl' | 'databaseFolder' | 'databasePool' | 'role'>() {}
export abstract class QueueConfig extends part<'redisUrl' | 'databaseUrl' | 'role'>() {}
export abstract class ConcurrencyConfig extends part<'accountConcurrency' | 'databasePool'>() {}
export abstract class MetricsConfig extends part<'role' | 'metricsHost' | 'metricsPort'>() {}
export abstract class SecretsConfig extends part<'masterKeys'>() {}
export abstract class PlansConfig extends part<'plans' | 'defaultPlan'>() {}
export abstract class SignInConfig extends part<'openId' | 'publicUrl' | 'basePath' | 'groupRoles'>() {}
export abstract class LeaseConfig extends part<'leaseSeconds'>() {}
export abstract class TaskConfig extends part<'drainSeconds' | 'leaseSeconds' | 'role'>() {}
export abstract class LookupConfig extends part<
  | ('sandbox' | 'rdapBootstrapUrl' | 'rdapOverrides' | 'whoisOverrides' | 'dnsServers' | 'dropLists')
  | ('lookupAllowNetworks' | 'nat64Prefixes' | 'budgets')
>() {}
export abstract class WatchConfig extends part<'confirmationSeconds' | 'pendingDeleteConfirmationSeconds'>() {}
export abstract class WebhookConfig extends part<
  'nat64Prefixes' | 'publicUrl' | 'webhookAllowNetworks' | 'webhookCa'
>() {}
/** Links in mails use the public URL. Without a public URL, the links use the host and the port. */
export abstract class MailConfig extends part<
  'publicUrl' | 'host' | 'port' | 'ui' | 'smtpUrl' | 'mailFrom' | 'mailConfirmation'
>() {}
export abstract class DeliveryConfig extends part<'leaseSeconds' | 'sending'>() {}
export abstract class RetentionConfig extends part<'eventRetentionDays'>() {}
export abstract class AuditConfig extends part<'auditRetentionDays'>() {}
