import { request, type Agent } from 'undici';
import { CertificateAuthority } from '../../support/builders/certificates.js';
import { type Child, startScript } from '../child.js';

const HOSTS = Array.from({ length: 50 }, (_, n) => `127.0.0.${n + 1}`);
const HANGING = Array.from({ length: 5 }, (_, n) => `127.0.0.${n + 101}`);

export interface Seen {
  readonly received: number;
  /** How many different ones. */
  readonly deliveries: number;
  /** How many wait for an answer that does not come. */
  readonly hanging: number;
}

/** Fifty HTTPS hosts on loopback, in a process of their own. */
export class Receivers {
  private constructor(
    private readonly child: Child,
    /** PEM of the authority that they are certified by. */
    readonly authority: string,
  ) {}

  static async start(): Promise<Receivers> {
    const authority = await CertificateAuthority.create();
    const { cert, key } = await authority.issue([...HOSTS, ...HANGING]);
    const child = await startScript('deliveries/receiver.ts', { TLS_CERT: cert, TLS_KEY: key });
    return new Receivers(child, authority.cert);
  }

  /** `https://127.0.0.7:4123`, one for each host. */
  get origins(): string[] {
    return HOSTS.map((host) => this.child.address.replace('127.0.0.1', host));
  }

  /** Others that answer nothing below /hang. */
  get hanging(): string[] {
    return HANGING.map((host) => this.child.address.replace('127.0.0.1', host));
  }

  async seen(agent: Agent): Promise<Seen> {
    return (await (await request(this.child.address, { dispatcher: agent })).body.json()) as Seen;
  }

  async forget(agent: Agent): Promise<void> {
    await (await request(this.child.address, { method: 'DELETE', dispatcher: agent })).body.dump();
  }
}
