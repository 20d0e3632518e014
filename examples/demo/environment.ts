import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CertificateAuthority } from '../../test/support/builders/certificates.js';
import { FakeDns } from '../../test/world/dns.js';
import { FakeRegistry } from '../../test/world/registry.js';
import { FakeWhois } from '../../test/world/whois.js';
import { MailCatcher } from '../../test/world/mailbox.js';
import { startServiceProcess } from '../../test/support/servers/service-process.js';
import { WebhookReceiver } from '../../test/world/receiver.js';

/** The real service, with registries, a name server, a webhook receiver, a chat and a mail relay of ours around it, all on loopback. */
export interface DemoEnvironment {
  /** Of `.demo`, by RDAP. */
  readonly registry: FakeRegistry;
  /** Of `.elder`, which never got beyond WHOIS. */
  readonly whois: FakeWhois;
  /** The name server of the zone above. */
  readonly dns: FakeDns;
  readonly receiver: WebhookReceiver;
  /** A chat's incoming webhook. */
  readonly chat: WebhookReceiver;
  readonly mail: MailCatcher;
  readonly address: string;
  readonly key: string;
  readonly close: () => Promise<void>;
}

/** Business time runs this much faster: an interval of five minutes takes two seconds. */
export const TIME_SCALE = 150;

const LOOPBACK = '127.0.0.0/8';

export async function startDemoEnvironment(): Promise<DemoEnvironment> {
  const folder = mkdtempSync(join(tmpdir(), 'namewatch-demo-'));
  chmodSync(folder, 0o755);
  const authority = await CertificateAuthority.create('Namewatch demo authority');
  const startReceiver = async () => WebhookReceiver.start(await authority.issue(['127.0.0.1']));
  const [registry, whois, dns, receiver, chat, mail] = await Promise.all([
    FakeRegistry.start(),
    FakeWhois.start(),
    FakeDns.start(),
    startReceiver(),
    startReceiver(),
    MailCatcher.start(),
  ]);
  const caFile = join(folder, 'authority.pem');
  writeFileSync(caFile, authority.cert);
  const dataDir = join(folder, 'data');
  const service = await startServiceProcess({
    DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'warn',
    TIME_SCALE: String(TIME_SCALE),
    RDAP_BOOTSTRAP_URL: 'off',
    DNS_SERVERS: dns.host,
    RDAP_OVERRIDES: `demo=${registry.url}`,
    WHOIS_OVERRIDES: `elder=${whois.host}`,
    LOOKUP_ALLOW_NETWORKS: LOOPBACK,
    WEBHOOK_ALLOW_NETWORKS: LOOPBACK,
    WEBHOOK_CA_FILE: caFile,
    SMTP_URL: mail.url,
    MAIL_FROM: 'namewatch@demo.example',
    NOTIFICATIONS_EMAIL_CONFIRMATION: 'off',
  });
  const close = async () => {
    await service.kill('SIGINT');
    await Promise.all([registry.stop(), whois.stop(), dns.stop(), receiver.close(), chat.close(), mail.close()]);
    rmSync(folder, { recursive: true, force: true });
  };
  const key = readFileSync(join(dataDir, 'first-key'), 'utf8').trim();
  return { registry, whois, dns, receiver, chat, mail, address: service.address, key, close };
}
