import { describe, expect, it } from '@jest/globals';
import { smtpTransportOptions } from '../../../../src/platform/outbound/smtp-relay.js';

describe('a mail relay', () => {
  it.each(['smtp://mail.example.com', 'smtp://10.0.0.5:25', 'smtp://localhost.example.com', 'smtp://[::2]'])(
    'at %s is reached by verified TLS or not at all',
    (url) => {
      expect(smtpTransportOptions(url)).toMatchObject({ url, requireTLS: true });
      expect(smtpTransportOptions(url)).not.toHaveProperty('tls');
    },
  );

  it.each(['smtp://127.0.0.1:1025', 'smtp://localhost', 'smtp://[::1]:1025', 'smtp://user:pass@127.0.0.9'])(
    'at %s is on loopback, where TLS is welcome but proves nothing',
    (url) => {
      expect(smtpTransportOptions(url)).toMatchObject({ requireTLS: false, tls: { rejectUnauthorized: false } });
    },
  );

  it('reads no file and fetches nothing for a mail', () => {
    expect(smtpTransportOptions('smtp://mail.example.com')).toMatchObject({
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  });
});
