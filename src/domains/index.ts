export { CheckDomain } from './application/checks/check-domain.js';
export { LOOKUP_TIMEOUT_MS } from './application/checks/domain-lookup.js';
export { RefreshDomain } from './application/checks/refresh-domain.js';
export { CanaryProbe } from './application/canaries/canary-probe.js';
export { RegistryTrust } from './application/canaries/registry-trust.js';
export { AccountLookupCache } from './application/checks/account-lookup-cache.js';
export { LookupCompletedListeners } from './application/checks/lookup-completed-listeners.js';
export { ListedDrops } from './application/drop-lists/listed-drops.js';
export {
  type DropListResult,
  DropListSource,
  type FetchedDropList,
  type HttpValidators,
} from './application/ports/drop-list-source.js';
export { OperatorQuotaService } from './application/ports/operator-quota-service.js';
export { ParentZone } from './application/ports/parent-zone.js';
export {
  EXTENSION_LOOKUP_SOURCES,
  LookupSource,
  type SourceAnswer,
  type SourceServer,
} from './application/ports/lookup-source.js';
export { RegistryHttpClient } from './infrastructure/http/registry-http-client.js';
export type {
  HttpNoResponse as RegistryHttpFailure,
  HttpReply as RegistryHttpReply,
  HttpRequestOptions as RegistryHttpOptions,
} from './infrastructure/http/bounded-http-request.js';
export { toNoResponseFailure } from './infrastructure/http/no-response-failure.js';
export { builtInTlds } from './infrastructure/registry-directory/built-in-tlds.js';
export { findSourceProblems } from './infrastructure/sources/extension-sources.js';
export { validateAnswer } from './infrastructure/sources/validate-answer.js';
export { validateServers } from './infrastructure/sources/validate-servers.js';
export { StandaloneLookup } from './standalone-lookup.js';
