import { InvalidConfigurationError } from '../../../config/config.js';

/** Who our mail comes from. */
export interface MailFrom {
  /** What people see before the address. */
  readonly name: string;
  readonly address: string;
  /** The part of the address after the @. */
  readonly domain: string;
}

const DISPLAY_NAME = 'Namewatch';
const NAMED_ADDRESS = /^"?([^"<>]*?)"?\s*<([^<>]*)>$/;
/** The operator's own setting: a relay inside their network may know names that the world does not. */
const ADDRESS = /^[^\s<>()[\]"',:;@\\\p{C}]+@([^\s<>()[\]"',:;@\\\p{C}]+)$/u;

/**
 * Reads MAIL_FROM: `alerts@example.com`, or `Alerts <alerts@example.com>`.
 * @throws InvalidConfigurationError
 */
export function parseMailFrom(setting: string): MailFrom {
  const [, name = '', address = setting] = NAMED_ADDRESS.exec(setting.trim()) ?? [];
  const [, domain] = ADDRESS.exec(address.trim()) ?? [];
  if (!domain)
    throw new InvalidConfigurationError(['MAIL_FROM must be an address such as "Namewatch <alerts@example.com>"']);
  return { name: name || DISPLAY_NAME, address: address.trim(), domain };
}
