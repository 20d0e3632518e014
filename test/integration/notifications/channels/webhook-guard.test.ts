import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { CertificateAuthority } from '../../../support/builders/certificates.js';
import { aMessage } from '../../../support/builders/notification-events.js';
import { unanswered, WebhookSending } from '../../../support/servers/webhook-sending.js';

let sending: WebhookSending;
beforeAll(async () => {
  sending = await WebhookSending.prepare();
});
afterEach(() => sending.close());

describe('a webhook receiver’s TLS certificate', () => {
  it('is refused when its authority is unknown, and nothing is sent', async () => {
    const receiver = await sending.aReceiver();
    expect(await sending.aSender({ trusting: false }).send(aMessage(receiver.url()))).toMatchObject(unanswered('tls'));
    expect(receiver.received.all).toEqual([]);
  });

  it.each([
    ['for another host', ['receiver.example'], {}],
    ['that has expired', ['127.0.0.1'], { notAfter: new Date(Date.now() - 1_000) }],
    ['that is not valid yet', ['127.0.0.1'], { notBefore: new Date(Date.now() + 3_600_000) }],
  ])('is refused, and nothing is sent: one %s', async (_what, names, validity) => {
    const receiver = await sending.aReceiver(await sending.authority.issue(names, validity));
    expect(await sending.aSender().send(aMessage(receiver.url()))).toMatchObject(unanswered('tls'));
    expect(receiver.received.all).toEqual([]);
  });

  it('is refused when it is self-signed', async () => {
    const stranger = await CertificateAuthority.create('127.0.0.1');
    const receiver = await sending.aReceiver(await stranger.issue(['127.0.0.1']));
    expect(await sending.aSender().send(aMessage(receiver.url()))).toMatchObject(unanswered('tls'));
  });
});

describe('a webhook receiver that supports only TLS 1.1', () => {
  it('is refused', async () => {
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    const receiver = await sending.aReceiver(old);
    expect(await sending.aSender().send(aMessage(receiver.url()))).toMatchObject(unanswered('tls'));
  });
});

describe('a webhook to localhost', () => {
  it('is sent if a loopback address is allowed, but never to Namewatch itself', async () => {
    const receiver = await sending.aReceiver();
    const url = receiver.url('/', 'localhost');
    const sender = sending.aSender();
    expect(sender.parseTarget(url)).toMatchObject({ host: 'localhost' });
    expect(await sender.send(aMessage(url))).toMatchObject({ outcome: 'ok' });

    const listening = createServer();
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
    sending.closeAfterwards(() => new Promise((resolve) => listening.close(resolve)));
    const own = `https://localhost:${(listening.address() as AddressInfo).port}/`;
    const mindful = sending.aSender({ listening });
    expect(() => mindful.parseTarget(own)).toThrow(expect.objectContaining({ code: 'target_not_allowed' }));
    expect(await mindful.send(aMessage(own))).toMatchObject(unanswered('blocked'));
    const public_ = sending.aSender({ env: { PUBLIC_URL: 'https://localhost' } });
    expect(() => public_.parseTarget(url)).toThrow(/target this service itself/);
    expect(await public_.send(aMessage(url))).toMatchObject(unanswered('blocked'));
  });
});

describe('a webhook to a forbidden address', () => {
  const blocked = unanswered('blocked');

  it('has the same outcome whether the port is open or closed', async () => {
    const receiver = await sending.aReceiver();
    const closed = await sending.aReceiver();
    const closedUrl = closed.url();
    await closed.close();
    const sender = sending.aSender({ env: { WEBHOOK_ALLOW_NETWORKS: '' } });
    const toOpen = await sender.send(aMessage(receiver.url()));
    expect(toOpen).toMatchObject(blocked);
    expect(await sender.send(aMessage(closedUrl))).toEqual(toOpen);
    expect(receiver.connections).toBe(0);
  });

  it('is blocked at Namewatch’s metrics port, even on an allowed network', async () => {
    const receiver = await sending.aReceiver();
    const listening = createServer();
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
    sending.closeAfterwards(() => new Promise((resolve) => listening.close(resolve)));
    const sender = sending.aSender({ listening, env: { METRICS_PORT: new URL(receiver.url()).port } });
    expect(await sender.send(aMessage(receiver.url()))).toMatchObject(blocked);
    expect(receiver.connections).toBe(0);
  });

  it('is blocked at the PUBLIC_URL host and at Namewatch’s own port, even on allowed networks', async () => {
    const receiver = await sending.aReceiver();
    const sender = sending.aSender({ env: { PUBLIC_URL: 'https://namewatch.example' } });
    expect(await sender.send(aMessage('https://namewatch.example/'))).toMatchObject(blocked);
    expect(() => sender.parseTarget('https://namewatch.example/')).toThrow(/target this service itself/);

    const listening = createServer();
    await new Promise<void>((resolve) => listening.listen(0, resolve));
    sending.closeAfterwards(() => new Promise((resolve) => listening.close(resolve)));
    const own = `https://127.0.0.1:${(listening.address() as AddressInfo).port}/`;
    const mindful = sending.aSender({ listening });
    expect(() => mindful.parseTarget(own)).toThrow(expect.objectContaining({ code: 'target_not_allowed' }));
    expect(await mindful.send(aMessage(own))).toMatchObject(blocked);
    expect(await mindful.send(aMessage(receiver.url()))).toMatchObject({ outcome: 'ok' });
  });
});
