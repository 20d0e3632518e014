import type { Server } from 'node:http';
import { TimeUnits } from '../../../src/kernel/time-units.js';
import type { SecureContextOptions } from 'node:tls';
import type { HttpAdapterHost } from '@nestjs/core';
import { Config, readConfig } from '../../../src/config/config.js';
import { Clock } from '../../../src/kernel/clock.js';
import type { AttemptOutcome } from '../../../src/notifications/domain/attempt.js';
import { GuardedHttp } from '../../../src/notifications/channels/guarded-http.js';
import { WebhookGuard } from '../../../src/notifications/channels/webhook-guard.js';
import { WebhookSender } from '../../../src/notifications/channels/webhook-sender.js';
import { CertificateAuthority, type ServerCertificate } from '../builders/certificates.js';
import { WebhookReceiver } from '../../world/receiver.js';

class RealClock extends Clock {
  now = () => new Date();
}

export interface SenderOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Whether it is given the authority of the receivers; so it is unless this says false. */
  readonly trusting?: boolean;
  /** Where the service itself listens. */
  readonly listening?: Server;
}

/** Senders and receivers of one test file, with an authority of their own. */
export class WebhookSending {
  private readonly open: (() => Promise<unknown>)[] = [];

  private constructor(
    readonly authority: CertificateAuthority,
    private readonly certificate: ServerCertificate,
  ) {}

  static async prepare(): Promise<WebhookSending> {
    const authority = await CertificateAuthority.create();
    return new WebhookSending(authority, await authority.issue(['127.0.0.1', 'localhost']));
  }

  async aReceiver(tls: Partial<ServerCertificate> & SecureContextOptions = {}): Promise<WebhookReceiver> {
    const receiver = await WebhookReceiver.start({ ...this.certificate, ...tls });
    this.open.push(() => receiver.close());
    return receiver;
  }

  /** Loopback is let through, unless the environment says otherwise. */
  aSender(options: SenderOptions = {}): WebhookSender {
    const { timeScale } = readConfig(options.env ?? {});
    return new WebhookSender(this.aClient(options), TimeUnits.fromScale(timeScale));
  }

  /** The client of all senders, in the same way. */
  aClient({ env = {}, trusting = true, listening }: SenderOptions = {}): GuardedHttp {
    const read = readConfig({ WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8', ...env });
    const config = new Config({ ...read, webhookCa: trusting ? this.authority.cert : null });
    const http = { httpAdapter: { getHttpServer: () => listening } } as unknown as HttpAdapterHost;
    const guard = new WebhookGuard(config, http, config);
    const client = new GuardedHttp(config, guard, new RealClock());
    this.open.push(() => client.onApplicationShutdown());
    return client;
  }

  closeAfterwards(close: () => Promise<unknown>): void {
    this.open.push(close);
  }

  async close(): Promise<void> {
    await Promise.all(this.open.splice(0).map((close) => close()));
  }
}

/** An attempt that ended without an answer. */
export const unanswered = (outcome: AttemptOutcome['outcome']) => ({
  outcome,
  responseStatus: null,
  responseExcerpt: null,
});
