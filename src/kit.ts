/**
 * Extensions import this file as `namewatch`. Only its exports and those of testing.ts stay stable between versions.
 */
export { Namewatch, type NamewatchConfig, type NamewatchOptions, readNamewatchConfig } from './app/namewatch.js';
export { createNamewatch, NamewatchModule, type NamewatchModuleOptions } from './app/namewatch.module.js';
export { type AuditedAct, AuditTrail } from './extensions/audit-trail.js';
export { AccountData, defineExtension, type Extension, type ExtensionLink } from './extensions/extension.js';
export { BackgroundTask } from './extensions/background-task.js';
export { extensionSettings, type SettingsClass } from './extensions/extension-settings.js';
export type { SettingDefinitions, ValuesOf } from './config/config.js';
export {
  type AddProblem,
  anyText,
  type Form,
  listOf,
  matching,
  oneOf,
  onOrOff,
  optional,
  required,
  setting,
  type Setting,
  type SettingDescription,
  textFile,
  url,
  wholeNumber,
} from './config/setting-forms.js';
export { InvalidConfigurationError } from './config/invalid-configuration.error.js';
export {
  type EventFilter,
  type EventOf,
  type EventPayloads,
  EventSubscriber,
  type EventType,
} from './extensions/event-subscriber.js';
export {
  AccountAuthenticator,
  type AuditAttributes,
  type AuditValue,
  type Caller,
  type CallerIdentity,
  CurrentAccount,
  CurrentCaller,
  type Credential,
  type Identity,
  InvalidToken,
  PlanSource,
  type PlansByName,
  type Role,
  type Scope,
  type Scopes,
} from './auth/index.js';
export type { Plan } from './auth/language.js';
export { AllowAnyScope, RequiresScope } from './auth/views.js';
export {
  LookupSource,
  RegistryHttpClient,
  type RegistryHttpFailure,
  type RegistryHttpHeaders,
  type RegistryHttpOptions,
  type RegistryHttpReply,
  type SourceAnswer,
  type SourceServer,
  toNoResponseFailure,
} from './domains/index.js';
export {
  absent,
  DomainName,
  type DsRecord,
  type DsValue,
  type EntryStatus,
  type EppStatus,
  type EvidenceSource,
  found,
  IcannSuffixes,
  type LifecyclePhase,
  type LookupErrorCode,
  premium,
  PublicSuffixes,
  type RecordKind,
  type RecordParts,
  type RecordValue,
  type RegistrarValue,
  type Registrar,
  type RegistrationFacts,
  type RegistrationRecord,
  type ReleasePeriod,
  reserved,
  type SuffixPosition,
  toRegistrationRecord,
} from './domains/language.js';
export { Clock } from './kernel/clock.js';
export { DomainError, type RefusalDetails } from './kernel/domain-error.js';
export type { DomainEvent } from './kernel/domain-event.js';
export type { OperatorBudget } from './kernel/operator-budget.js';
export type { BuiltInProblemCode, ProblemCode, Problems } from './kernel/problem-code.js';
export type { PlanLimits } from './kernel/plan-limits.js';
export { TimeUnits } from './kernel/time-units.js';
export { UnitOfWork } from './kernel/unit-of-work.js';
export {
  accepted,
  type AttemptOutcome,
  type ChannelDisabled,
  type ChannelSecret,
  ChannelSender,
  CredentialInvalid,
  describeEvent,
  type EventDescription,
  type EventText,
  failed,
  GuardedHttp,
  HttpChannelSender,
  type HttpFailure,
  type ChannelHttpRequest,
  type HttpReply,
  type HttpRequest,
  type HttpResult,
  type Bundle,
  type Message,
  type Outcome,
  RetrySchedule,
  type SigningSecret,
  type Target,
  TargetInvalid,
  TargetNotAllowed,
} from './notifications/index.js';
export { ApiProblems } from './platform/http/errors/api-problems.js';
export type { ProblemKind } from './platform/http/errors/problem-catalogue.js';
export { toPublicPath } from './platform/http/request.js';
export { pageLinks, PageMeta, PageQuery } from './platform/http/page.js';
export { Public } from './platform/http/route-access.js';
export { Idempotent } from './platform/idempotency/idempotent.interceptor.js';
export type { AbortLike } from './platform/outbound/deadline.js';
export type { OutboundFailure } from './platform/outbound/outbound-error.js';
export type {
  ChangeEventData,
  ConfirmedEventData,
  ExpiringEventData,
  FailingEventData,
  Purpose,
  Move,
  RecordChangedEventData,
  Renewal,
  WatchlistEventData,
} from './watchlist/language.js';
