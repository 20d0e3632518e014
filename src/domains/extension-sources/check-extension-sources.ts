import { type DiagnosticResult, runCheck } from '../../platform/diagnostics.js';
import type { AddressGuard } from '../../platform/outbound/address-guard.js';
import { createGuardedConnector } from '../../platform/outbound/guarded-connector.js';
import type { ExtensionSource, ExtensionSources } from './extension-sources.js';
import type { RegistryServer } from '../domain/lookup/lookup-source.js';

/** Connects to every server of each source, without sending a query. */
export function checkExtensionSources(
  { all }: ExtensionSources,
  guard: AddressGuard,
): Promise<readonly DiagnosticResult[]> {
  const connector = createGuardedConnector({ guard });
  return Promise.all(all.map((source) => runCheck(source.name, () => describeSource(source, connector))));
}

async function describeSource(
  source: ExtensionSource,
  connector: ReturnType<typeof createGuardedConnector>,
): Promise<string> {
  const servers = source.servers();
  if (servers.size === 0) return 'warning: this lookup source serves no TLD yet';
  const byLabel = new Map([...servers.values()].map((server) => [server.label, server]));
  const tlds = servers.size === 1 ? '1 TLD' : `${servers.size} TLDs`;
  try {
    await Promise.all([...byLabel.values()].map((server) => connect(server, connector)));
    return `lookup source (${source.role}) for ${tlds}; connects to ${[...byLabel.keys()].join(', ')}`;
  } catch (error) {
    if (source.role === 'only') throw error;
    return `warning: ${(error as Error).message}; the next source is asked`; // lookups go on to the next source too
  }
}

function connect(
  { host, port, label }: RegistryServer,
  connector: ReturnType<typeof createGuardedConnector>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const target = { hostname: host.replace(/^\[|\]$/g, ''), host, protocol: 'http:', port: `${port}` };
    connector(target, (...[error, socket]) => {
      if (error) return reject(new Error(`${label}: ${error.message}`, { cause: error }));
      socket.on('error', () => undefined).destroy();
      resolve();
    });
  });
}
