import { InvalidConfigurationError } from '../../config/invalid-configuration.error.js';

export interface MailFrom {
  /** The display name. */
  readonly name: string;
  readonly address: string;
  /** Of the address. */
  readonly domain: string;
}

const DISPLAY_NAME = 'Namewatch';
const NAMED_ADDRESS = /^"?([^"<>]*?)"?\s*<([^<>]*)>$/;
/** Permissive: a relay in a private network may know names that are not public. */
const ADDRESS = /^[^\s<>()[\]"',:;@\\\p{C}]+@([^\s<>()[\]"',:;@\\\p{C}]+)$/u;

/**
 * MAIL_FROM: `alerts@example.com`, or `Alerts <alerts@example.com>`.
 * @throws InvalidConfigurationError
 */
export function parseMailFrom(setting: string): MailFrom {
  const [, name = '', address = setting] = NAMED_ADDRESS.exec(setting.trim()) ?? [];
  const [, domain] = ADDRESS.exec(address.trim()) ?? [];
  if (!domain)
    throw new InvalidConfigurationError(['MAIL_FROM must be an address such as "Namewatch <alerts@example.com>"']);
  return { name: name || DISPLAY_NAME, address: address.trim(), domain };
}
