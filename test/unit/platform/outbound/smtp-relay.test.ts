import { describe, expect, it } from '@jest/globals';
import { readConfig } from '../../../../src/config/config.js';
import {
  findMailLinkProblem,
  listenerUrl,
  smtpTransportOptions,
} from '../../../../src/platform/outbound/smtp-relay.js';

describe('a mail relay', () => {
  it.each(['smtp://mail.example.com', 'smtp://10.0.0.5:25', 'smtp://localhost.example.com', 'smtp://[::2]'])(
    'is used only with verified TLS at %s',
    (url) => {
      expect(smtpTransportOptions(url)).toMatchObject({ url, requireTLS: true });
      expect(smtpTransportOptions(url)).not.toHaveProperty('tls');
    },
  );

  it.each(['smtp://127.0.0.1:1025', 'smtp://localhost', 'smtp://[::1]:1025', 'smtp://user:pass@127.0.0.9'])(
    'may be used without TLS, or with an unverified certificate, on loopback: %s',
    (url) => {
      expect(smtpTransportOptions(url)).toMatchObject({ requireTLS: false, tls: { rejectUnauthorized: false } });
    },
  );

  it('may neither read files nor fetch URLs for the content of a mail', () => {
    expect(smtpTransportOptions('smtp://mail.example.com')).toMatchObject({
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  });
});

const RELAY = { SMTP_URL: 'smtp://relay.example', MAIL_FROM: 'alerts@example.com' };
const problemWith = (settings: Record<string, string>) => findMailLinkProblem(readConfig({ ...RELAY, ...settings }));

describe('links in mails without a PUBLIC_URL', () => {
  it.each([
    ['127.0.0.1', 3000, 'http://127.0.0.1:3000'],
    ['0.0.0.0', 3000, 'http://127.0.0.1:3000'],
    ['::', 3000, 'http://127.0.0.1:3000'],
    ['192.168.1.5', 8080, 'http://192.168.1.5:8080'],
    ['fd00::5', 8080, 'http://[fd00::5]:8080'],
    ['names.lan', 0, 'http://names.lan'],
  ])('lead to the address that the service listens on: %s port %i gives %s', (host, port, url) => {
    expect(listenerUrl(host, port)).toBe(url);
  });

  it('cause a warning that says where the links lead and which links are missing', () => {
    for (const HOST of ['127.0.0.1', '0.0.0.0'])
      expect(problemWith({ HOST })).toBe(
        'PUBLIC_URL is not set: links that confirm an address lead to http://127.0.0.1:3000, which recipients elsewhere ' +
          'cannot open; mails have no link to unsubscribe or to the page of the name',
      );
    expect(problemWith({ NOTIFICATIONS_EMAIL_CONFIRMATION: 'false' })).toBe(
      'PUBLIC_URL is not set: mails have no link to unsubscribe or to the page of the name',
    );
  });

  it('cause no warning if no mail relay is set, or once PUBLIC_URL is set', () => {
    expect(problemWith({ PUBLIC_URL: 'https://names.example' })).toBeNull();
    expect(findMailLinkProblem(readConfig({}))).toBeNull();
  });
});
