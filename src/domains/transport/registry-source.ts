import { LookupSource, type RegistryServer } from '../domain/lookup/lookup-source.js';
import type { DomainName } from '../domain/name/domain-name.js';
import type { Deadline } from '../../platform/outbound/deadline.js';

/** A source as the engine asks it: RDAP, WHOIS, the sandbox, or one of an extension. */
export abstract class RegistrySource<Server extends RegistryServer = RegistryServer> extends LookupSource<
  Server,
  Deadline
> {
  /** Whether it answers without sending anything: there is no rate limit, and no registry to distrust. */
  readonly isSimulated: boolean = false;

  /** Answers from memory; null where it serves no such name. */
  abstract serverFor(name: DomainName): Server | null;

  abstract hasServer(tld: string): boolean;

  /** Returns the server to ask, where a query of the database is needed to know it. */
  findServer(name: DomainName): Server | null | Promise<Server | null> {
    return this.serverFor(name);
  }

  /** Returns itself on connections that no earlier query used. A source of an extension connects as it likes. */
  onNewConnections(): RegistrySource<Server> {
    return this;
  }

  /** Searches a server of a delegated TLD that no source serves. Never rejects. */
  discoverServer(_tld: string): Promise<void> {
    return Promise.resolve();
  }
}
