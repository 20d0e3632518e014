import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Config } from '../config/config.js';
import { InvalidConfigurationError } from '../config/invalid-configuration.error.js';

interface ListenAddress {
  readonly host: string;
  readonly port: number;
  readonly settings: { readonly host: string; readonly port: string };
}

/** Returns the address of the API and the health routes. Processes of every role listen there. */
export function serviceAddress({ host, port }: Pick<Config, 'host' | 'port'>): ListenAddress {
  return { host, port, settings: { host: 'HOST', port: 'PORT' } };
}

export function metricsAddress(config: Pick<Config, 'metricsHost' | 'metricsPort'>): ListenAddress | null {
  const { metricsHost: host, metricsPort: port } = config;
  return port === null ? null : { host, port, settings: { host: 'METRICS_HOST', port: 'METRICS_PORT' } };
}

/** Fails early if the process cannot listen at an address. @throws InvalidConfigurationError */
export async function assertCanListen(addresses: readonly (ListenAddress | null)[]): Promise<void> {
  await Promise.all(addresses.filter((address) => address !== null).map(listenOnce));
}

async function listenOnce(address: ListenAddress): Promise<void> {
  const server = createServer((socket) => socket.destroy());
  await explainListenErrors(address, () => once(server.listen(address.port, address.host), 'listening'));
  await new Promise((resolve) => server.close(resolve));
}

/** Runs `listen`. If the address cannot be used, the error names the setting. @throws InvalidConfigurationError */
export async function explainListenErrors<Result>(
  address: ListenAddress,
  listen: () => Promise<Result>,
): Promise<Result> {
  try {
    return await listen();
  } catch (cause) {
    const problem = explain(address, (cause as NodeJS.ErrnoException).code);
    throw problem === null ? cause : new InvalidConfigurationError([problem], { cause });
  }
}

function explain({ host, port, settings }: ListenAddress, code: string | undefined): string | null {
  if (code === 'EADDRINUSE') return `${settings.port}: ${host}:${port} is already in use by another program`;
  if (code === 'EACCES') return `${settings.port}: this user may not listen on port ${port}`;
  if (code === 'EADDRNOTAVAIL') return `${settings.host}: ${host} is not an address of this machine`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `${settings.host}: the host name ${host} cannot be resolved`;
  return null;
}

/** Returns a URL that a browser can open. A wildcard address such as 0.0.0.0 becomes 127.0.0.1. */
export function toReachableUrl({ address, family, port }: AddressInfo): string {
  if (address === '0.0.0.0' || address === '::') return `http://127.0.0.1:${port}`;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
