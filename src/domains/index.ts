export { CheckDomain } from './application/checks/check-domain.js';
export { LOOKUP_TIMEOUT_MS } from './application/checks/domain-lookup.js';
export { RefreshDomain } from './application/checks/refresh-domain.js';
export { CanaryProbe } from './application/canaries/canary-probe.js';
export { AccountLookupCache } from './application/checks/account-lookup-cache.js';
export { LookupCompletedListeners } from './application/checks/lookup-completed-listeners.js';
export { OperatorQuotaService } from './application/ports/operator-quota-service.js';
export {
  EXTENSION_LOOKUP_SOURCES,
  LookupSource,
  type SourceAnswer,
  type SourceServer,
} from './application/ports/lookup-source.js';
export { StandaloneLookup } from './standalone-lookup.js';
