import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CertificateAuthority } from '../builders/certificates.js';
import { WebhookReceiver } from '../fakes/webhook-receiver.js';
import { NotificationService } from './notification-service.js';

/** A receiver on loopback, and a service that may reach it and trusts its certificate. */
export async function startReceiverWithService() {
  const authority = await CertificateAuthority.create();
  const receiver = await WebhookReceiver.start(await authority.issue(['127.0.0.1']));
  const folder = await mkdtemp(join(tmpdir(), 'namewatch-receiver-'));
  const ca = join(folder, 'ca.pem');
  await writeFile(ca, authority.cert);
  const settings = { WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8', WEBHOOK_CA_FILE: ca };
  const notifications = await NotificationService.start(settings);
  const close = async () => {
    await notifications.close();
    await receiver.close();
    await rm(folder, { recursive: true });
  };
  return { receiver, notifications, close };
}
