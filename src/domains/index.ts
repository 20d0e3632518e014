export { CheckDomain } from './checks/check-domain.js';
export { DomainLookup, LOOKUP_TIMEOUT_MS } from './checks/domain-lookup.js';
export { WatchlistLink } from './watchlist-link.js';
export {
  type DropListResult,
  DropListSource,
  type FetchedDropList,
  type HttpValidators,
  ListedDrops,
} from './drop-lists/drop-list-source.js';
export { OperatorRateLimits } from './sources/operator-rate-limits.js';
export { ZoneWitness } from './dns/authoritative-zone-witness.js';
export {
  EXTENSION_LOOKUP_SOURCES,
  LookupSource,
  type SourceAnswer,
  type SourceServer,
} from './domain/lookup/lookup-source.js';
export {
  type HttpNoResponse as RegistryHttpFailure,
  type HttpReply as RegistryHttpReply,
  type HttpRequestOptions as RegistryHttpOptions,
  RegistryHttpClient,
  type RequestHeaders as RegistryHttpHeaders,
  toNoResponseFailure,
} from './transport/registry-http-client.js';
export { builtInTlds } from './registries/list-registries.js';
export { ExtensionSources, findPublicZones, findSourceProblems } from './extension-sources/extension-sources.js';
export { validateAnswer, validateServers } from './extension-sources/validate-answer.js';
export { StandaloneLookup } from './standalone-lookup.js';
export { RegistryCheck, type RegistryReport } from './registry-check/registry-check.js';
export { toCorpusEntries } from './registry-check/corpus-entries.js';
