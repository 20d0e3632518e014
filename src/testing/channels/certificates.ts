import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

const DAY_MS = 86_400_000;
const ECDSA_WITH_SHA256 = '06082a8648ce3d040302';
const COMMON_NAME = '0603550403';
const SUBJECT_ALTERNATIVE_NAME = '0603551d11';
const BASIC_CONSTRAINTS = '0603551d13';
const TRUE = Buffer.from('0101ff', 'hex');

/** PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority that one test trusts (RFC 5280, in DER). */
export class TestAuthority {
  private readonly keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly cert = this.issue('Namewatch contract suite', this.keys.publicKey, [
    sequence(hex(BASIC_CONSTRAINTS), TRUE, tagged(0x04, sequence(TRUE))),
  ]);

  /** @param host a name, or 127.0.0.1 */
  issueFor(host: string): Certificate {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const name = host === '127.0.0.1' ? tagged(0x87, Buffer.from([127, 0, 0, 1])) : tagged(0x82, Buffer.from(host));
    const extension = sequence(hex(SUBJECT_ALTERNATIVE_NAME), tagged(0x04, sequence(name)));
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    return { cert: this.issue(host, publicKey, [extension]), key };
  }

  private issue(subject: string, publicKey: KeyObject, extensions: readonly Buffer[]): string {
    const algorithm = sequence(hex(ECDSA_WITH_SHA256));
    const validity = sequence(toUtcTime(Date.now() - DAY_MS), toUtcTime(Date.now() + DAY_MS));
    const toBeSigned = sequence(
      ...[tagged(0xa0, hex('020102')), tagged(0x02, Buffer.from([1, ...randomBytes(8)])), algorithm],
      ...[toName('Namewatch contract suite'), validity, toName(subject)],
      publicKey.export({ type: 'spki', format: 'der' }),
      tagged(0xa3, sequence(...extensions)),
    );
    const signature = tagged(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', toBeSigned, this.keys.privateKey)]));
    const base64 = sequence(toBeSigned, algorithm, signature).toString('base64');
    return `-----BEGIN CERTIFICATE-----\n${base64.replace(/(.{64})/g, '$1\n')}\n-----END CERTIFICATE-----\n`;
  }
}

function toName(commonName: string): Buffer {
  return sequence(tagged(0x31, sequence(hex(COMMON_NAME), tagged(0x0c, Buffer.from(commonName)))));
}

function toUtcTime(timeMs: number): Buffer {
  return tagged(0x17, Buffer.from(`${new Date(timeMs).toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function hex(text: string): Buffer {
  return Buffer.from(text, 'hex');
}
