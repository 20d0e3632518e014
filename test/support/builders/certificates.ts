import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import * as x509 from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** PEM. */
export interface ServerCertificate {
  readonly key: string;
  readonly cert: string;
}

export interface Validity {
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

/** An authority made at run time, whose certificates only those believe who are given it. */
export class CertificateAuthority {
  private constructor(
    private readonly keys: webcrypto.CryptoKeyPair,
    private readonly certificate: x509.X509Certificate,
  ) {}

  static async create(name = 'Loopback Authority'): Promise<CertificateAuthority> {
    x509.cryptoProvider.set(webcrypto);
    const keys = await newKeys();
    const certificate = await x509.X509CertificateGenerator.createSelfSigned({
      name: `CN=${name}`,
      keys,
      signingAlgorithm: ALGORITHM,
      notBefore: new Date(Date.now() - 2 * DAY),
      notAfter: new Date(Date.now() + 30 * DAY),
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      ],
    });
    return new CertificateAuthority(keys, certificate);
  }

  /** The certificate for believers. PEM. */
  get cert(): string {
    return this.certificate.toString('pem');
  }

  /** A certificate for host names and addresses. */
  async issue(names: readonly string[], validity: Validity = {}): Promise<ServerCertificate> {
    const keys = await newKeys();
    const certificate = await x509.X509CertificateGenerator.create({
      subject: `CN=${names[0] ?? ''}`,
      issuer: this.certificate.subject,
      signingKey: this.keys.privateKey,
      publicKey: keys.publicKey,
      signingAlgorithm: ALGORITHM,
      notBefore: validity.notBefore ?? new Date(Date.now() - HOUR),
      notAfter: validity.notAfter ?? new Date(Date.now() + DAY),
      extensions: [
        new x509.SubjectAlternativeNameExtension(
          names.map((value) => ({ type: isIP(value) > 0 ? 'ip' : 'dns', value }) as const),
        ),
      ],
    });
    return { key: await pemOf(keys.privateKey), cert: certificate.toString('pem') };
  }
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  const base64 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key)).toString('base64');
  return `-----BEGIN PRIVATE KEY-----\n${base64.replace(/(.{64})/g, '$1\n')}\n-----END PRIVATE KEY-----\n`;
}
