import type { Config } from './config.js';

/**
 * Makes the base of a part of the configuration. Each part is an injection token of its own: a class takes the settings
 * that it needs, and its tests make no more than those.
 */
function part<Field extends Exclude<keyof Config, 'environment' | 'withDatabase' | 'withMountPath'>>() {
  return class {} as unknown as abstract new () => Pick<Config, Field>;
}

export abstract class DatabaseConfig extends part<'databaseUrl' | 'databaseFolder' | 'databasePool' | 'role'>() {}
export abstract class QueueConfig extends part<'redisUrl' | 'databaseUrl' | 'role'>() {}
export abstract class ConcurrencyConfig extends part<'accountConcurrency' | 'databasePool'>() {}
export abstract class MetricsConfig extends part<'role' | 'metricsHost' | 'metricsPort'>() {}
export abstract class SecretsConfig extends part<'masterKeys'>() {}
export abstract class PlansConfig extends part<'plans' | 'defaultPlan'>() {}
/** Says where people sign in, if anywhere, and where their provider leads back to. */
export abstract class SignInConfig extends part<'openId' | 'publicUrl' | 'basePath' | 'groupRoles'>() {}
export abstract class LeaseConfig extends part<'leaseSeconds'>() {}
/** Decides which tasks of extensions a process runs, and how they end. */
export abstract class TaskConfig extends part<'drainSeconds' | 'leaseSeconds' | 'role'>() {}
export abstract class LookupConfig extends part<
  | ('sandbox' | 'rdapBootstrapUrl' | 'rdapOverrides' | 'whoisOverrides' | 'dnsServers' | 'dropLists')
  | ('lookupAllowNetworks' | 'nat64Prefixes' | 'budgets')
>() {}
export abstract class WatchConfig extends part<'confirmationSeconds' | 'pendingDeleteConfirmationSeconds'>() {}
export abstract class WebhookConfig extends part<
  'nat64Prefixes' | 'publicUrl' | 'webhookAllowNetworks' | 'webhookCa'
>() {}
/** Links in mails lead to where the service listens if there is no public URL. */
export abstract class MailConfig extends part<
  'publicUrl' | 'host' | 'port' | 'ui' | 'smtpUrl' | 'mailFrom' | 'mailConfirmation'
>() {}
export abstract class DeliveryConfig extends part<'leaseSeconds' | 'sending'>() {}
export abstract class RetentionConfig extends part<'eventRetentionDays'>() {}
export abstract class AuditConfig extends part<'auditRetentionDays'>() {}
