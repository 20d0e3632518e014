import { Resolver } from 'node:dns/promises';
import type { FakeDns } from '../../world/dns.js';

type Resolve = (this: Resolver, name: string) => Promise<string[]>;
interface Methods {
  readonly resolve4: Resolve;
  readonly resolve6: Resolve;
}

/**
 * From now on, whoever asks the system's name servers in this process asks this one, over its socket.
 * @returns how to end it
 */
export function answerForSystem(dns: FakeDns): () => void {
  const { resolve4, resolve6 } = Resolver.prototype as Methods;
  const asker = () => {
    const resolver = new Resolver({ timeout: 1_000, tries: 1 });
    resolver.setServers([dns.host]);
    return resolver;
  };
  Object.assign(Resolver.prototype, {
    resolve4: (name: string) => resolve4.call(asker(), name),
    resolve6: (name: string) => resolve6.call(asker(), name),
  });
  return () => void Object.assign(Resolver.prototype, { resolve4, resolve6 });
}
