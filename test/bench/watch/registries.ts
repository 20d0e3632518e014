import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CertificateAuthority } from '../../support/builders/certificates.js';
import { startScript } from '../child.js';
import { temporaryFolder } from '../cleanup.js';

export interface Registry {
  /** Its base URL. */
  readonly address: string;
  /** The environment of those that ask it. */
  readonly trust: Readonly<Record<string, string>>;
}

/** Starts the registry in a process of its own. */
export async function startRegistry(over: 'HTTP' | 'TLS 1.3'): Promise<Registry> {
  const { certificate, trust } = over === 'HTTP' ? { certificate: {}, trust: {} } : await certify();
  const { address } = await startScript('watch/registry.ts', certificate);
  return { address, trust };
}

async function certify() {
  const authority = await CertificateAuthority.create();
  const { cert, key } = await authority.issue(['127.0.0.1']);
  const file = join(temporaryFolder(), 'authority.pem');
  writeFileSync(file, authority.cert);
  return { certificate: { TLS_CERT: cert, TLS_KEY: key }, trust: { NODE_EXTRA_CA_CERTS: file } };
}
