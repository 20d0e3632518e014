import { LookupSource, type RegistryServer } from '../domain/lookup/lookup-source.js';
import type { DomainName } from '../domain/name/domain-name.js';
import type { Deadline } from '../../platform/outbound/deadline.js';

/**
 * A source that the lookup engine can ask: RDAP, WHOIS, an extension's source, or the sandbox (simulated names under
 * `.test`).
 */
export abstract class RegistrySource<Server extends RegistryServer = RegistryServer> extends LookupSource<
  Server,
  Deadline
> {
  /** Whether the source answers without sending anything, so that no rate limit applies. */
  readonly isSimulated: boolean = false;

  /** Returns the server from memory; null if the source does not serve the name. */
  abstract serverFor(name: DomainName): Server | null;

  /** Returns the server to ask. Sources that must query the database override this method. */
  findServer(name: DomainName): Server | null | Promise<Server | null> {
    return this.serverFor(name);
  }

  /**
   * Returns this source with a new connection for each query. If the engine keeps no connections of the source open,
   * returns the same object.
   */
  onNewConnections(): RegistrySource<Server> {
    return this;
  }

  /** Finds and remembers a server for a TLD. A source with a fixed list does nothing. Never rejects. */
  discoverServer(_tld: string): Promise<void> {
    return Promise.resolve();
  }
}
