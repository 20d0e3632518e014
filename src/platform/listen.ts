import { InvalidConfigurationError } from '../config/invalid-configuration.error.js';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  readonly settings: { readonly host: string; readonly port: string };
}

/**
 * Runs `listen` and rewords address errors so that they name the setting.
 * @throws InvalidConfiguration
 */
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
