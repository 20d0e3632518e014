import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CertificateAuthority } from '../../support/builders/certificates.js';
import { startChild } from '../child.js';
import type { CleanupStack } from '../cleanup.js';

export interface Registry {
  /** Its base URL. */
  readonly address: string;
  /** The environment of those that ask it. */
  readonly trust: Readonly<Record<string, string>>;
}

/** Starts the registry in a process of its own. */
export async function startRegistry(over: 'HTTP' | 'TLS 1.3', closing: CleanupStack): Promise<Registry> {
  const program = join(import.meta.dirname, 'registry.ts');
  const { certificate, trust } = over === 'HTTP' ? { certificate: {}, trust: {} } : await certify(closing);
  const child = await startChild(['--import', './tools/scripts/typescript.mjs', program], certificate);
  closing.push(() => child.close());
  return { address: child.address, trust };
}

async function certify(closing: CleanupStack) {
  const authority = await CertificateAuthority.create();
  const { cert, key } = await authority.issue(['127.0.0.1']);
  const folder = mkdtempSync(join(tmpdir(), 'namewatch-bench-'));
  closing.push(() => Promise.resolve(rmSync(folder, { recursive: true, force: true })));
  const file = join(folder, 'authority.pem');
  writeFileSync(file, authority.cert);
  return { certificate: { TLS_CERT: cert, TLS_KEY: key }, trust: { NODE_EXTRA_CA_CERTS: file } };
}
