import { describe, expect, it } from '@jest/globals';
import { InvalidConfigurationError } from '../../../../src/config/invalid-configuration.error.js';
import { parseMailFrom } from '../../../../src/notifications/email/smtp-mailer.js';

describe('the setting MAIL_FROM', () => {
  it.each([
    ['alerts@example.com', 'Namewatch', 'alerts@example.com', 'example.com'],
    ['Domain Desk <alerts@example.com>', 'Domain Desk', 'alerts@example.com', 'example.com'],
    ['"Desk, Domain" <alerts@example.com>', 'Desk, Domain', 'alerts@example.com', 'example.com'],
    [' <alerts@mail> ', 'Namewatch', 'alerts@mail', 'mail'],
  ])('gives the sender a name and an address: %j means %s at %s', (setting, name, address, domain) => {
    expect(parseMailFrom(setting)).toEqual({ name, address, domain });
  });

  it.each(['', 'alerts', 'alerts@', '@example.com', 'a@b, c@d', 'A <a@b> <c@d>', 'a b@example.com', 'a@b\r\nBcc: c@d'])(
    'is refused with the value %j',
    (setting) => {
      expect(() => parseMailFrom(setting)).toThrow(InvalidConfigurationError);
    },
  );
});
