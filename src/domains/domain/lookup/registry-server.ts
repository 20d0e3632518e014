import type { SourceServer } from './lookup-source.js';

/** Whose rate limit counts for a query to this host and port. */
export interface ServerAddress extends SourceServer {
  /** Whether the administrator configured it (RDAP_OVERRIDES, WHOIS_OVERRIDES). */
  readonly isOverride: boolean;
  /** Of a source with a budget of its own: the operator, unless the budgets table lists the host. */
  readonly operator?: string;
}

/** A server of a source, as evidence and the list of registries name it. */
export interface RegistryServer extends ServerAddress {
  /** `host`, or `host:port` where the port is not the default. */
  readonly label: string;
}
