import { Transform } from 'class-transformer';
import { IsIn, ValidateBy, type ValidationArguments } from 'class-validator';
import ipaddr from 'ipaddr.js';
import { isIP } from 'node:net';
import { isDropListName } from './drop-lists.js';

/** Decorators for settings: each turns the text of the environment into a value, or leaves it and says what it wants. */

/** Says what is wanted and what came instead, so that one line is enough to mend the setting. */
function mustBeMessage(wanted: string) {
  return ({ property, value }: ValidationArguments) => `${property} must be ${wanted}, not "${String(value)}"`;
}

function ParseText(read: (text: string) => unknown): PropertyDecorator {
  return Transform(({ value }) => (typeof value === 'string' ? (read(value.trim()) ?? value) : (value as unknown)));
}

interface SettingRule {
  readonly isValid: (value: unknown) => boolean;
  readonly parse?: (text: string) => unknown;
  /** Its value may hold a password, so it is not repeated. */
  readonly secret?: boolean;
}

function Setting(name: string, wanted: string, { isValid, parse, secret }: SettingRule): PropertyDecorator {
  const message = secret
    ? ({ property }: ValidationArguments) => `${property} must be ${wanted}`
    : mustBeMessage(wanted);
  const rule = ValidateBy({ name, validator: { validate: isValid } }, { message });
  return (target, property) => {
    if (parse) ParseText(parse)(target, property);
    rule(target, property);
  };
}

export function WholeNumber(min: number, max: number): PropertyDecorator {
  const isValid = (value: unknown) => Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
  const parse = (text: string) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined);
  return Setting('whole', `a whole number from ${min} to ${max}`, { isValid, parse });
}

export function Switch(): PropertyDecorator {
  const words: Record<string, boolean> = { on: true, true: true, '1': true, off: false, false: false, '0': false };
  const isValid = (value: unknown) => typeof value === 'boolean';
  return Setting('switch', 'on or off', { isValid, parse: (text) => words[text.toLowerCase()] });
}

export function OneOf(...words: string[]): PropertyDecorator {
  return (target, property) => IsIn(words, { message: mustBeMessage(`one of ${words.join(', ')}`) })(target, property);
}

export function Url(...protocols: string[]): PropertyDecorator {
  const isValid = (value: unknown) =>
    typeof value === 'string' && URL.canParse(value) && protocols.includes(new URL(value).protocol);
  return Setting('url', `a URL with ${protocols.join(' or ')}`, { isValid, secret: true });
}

/** A URL, or the word `off`. */
export function UrlOrOff(): PropertyDecorator {
  const isValid = (value: unknown) =>
    value === 'off' || (typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol));
  return Setting('url-or-off', 'an http(s) URL or off', { isValid });
}

/** `a,b,c`, each part of the given form. */
export function ListOf(what: string, isPart: (part: string) => boolean): PropertyDecorator {
  const isValid = (value: unknown) => Array.isArray(value) && value.every((part) => isPart(part as string));
  const parse = (text: string) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
  return Setting(`list of ${what}`, `a list of ${what}, with commas between`, {
    isValid,
    parse,
    secret: true,
  });
}

/** `10.0.0.0/8`, or a single address; in full: `10.1` would be read as 10.0.0.1. */
export function isNetwork(text: string): boolean {
  const address = text.split('/')[0] ?? '';
  return isIP(address) > 0 && (text === address || ipaddr.isValidCIDR(text));
}

/** A prefix of a length that RFC 6052 §2.2 knows, such as `64:ff9b::/96`. */
export function isNat64Prefix(text: string): boolean {
  return isNetwork(text) && isIP(text.split('/')[0] ?? '') === 6 && /\/(?:32|40|48|56|64|96)$/.test(text);
}

const PROXY_SWITCH = ['on', 'true', 'off', 'false'];
const IPV4_IN_IPV6 = /^::ffff:/i;

/** Whose `X-Forwarded-For` is believed; not everybody's, for each caller would then choose its own address. */
export function TrustedProxies(): PropertyDecorator {
  const isProxies = (part: string) => isNetwork(part) && !part.endsWith('/0') && !IPV4_IN_IPV6.test(part);
  const isValid = (value: unknown) =>
    PROXY_SWITCH.includes(String(value)) || splitNetworks(String(value)).every((part) => isProxies(part));
  return Setting('proxies', 'on, off, or a list of networks such as 10.0.0.0/8,192.0.2.7', { isValid });
}

export function splitNetworks(text: string): string[] {
  return text.split(',').map((part) => part.trim());
}

export function isHostPort(text: string): boolean {
  const [, port = ''] = /^(?:\[[0-9a-f:.]+\]|[a-z0-9.-]+):(\d{1,5})$/i.exec(text) ?? [];
  return Number(port) >= 1 && Number(port) <= 65_535;
}

/** `192.0.2.53:53` or `[2001:db8::53]:53`. */
export function isAddressPort(text: string): boolean {
  const address = text.slice(0, text.lastIndexOf(':'));
  return isHostPort(text) && isIP(address.replace(/^\[|\]$/g, '')) > 0;
}

/** `443` or `1024-65535`. */
export function isPortRange(text: string): boolean {
  const [low = 0, high = low] = text.split('-').map(Number);
  return /^\d{1,5}(-\d{1,5})?$/.test(text) && low >= 1 && low <= high && high <= 65_535;
}

/** `tld=target`, where the target has the given form. */
export function isOverride(isTarget: (target: string) => boolean): (part: string) => boolean {
  return (part) => {
    const [tld = '', ...rest] = part.split('=');
    return /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/i.test(tld) && isTarget(rest.join('='));
  };
}

/** `uk`, or `uk=https://mirror.example/uk.csv.gz`. */
export function isDropList(part: string): boolean {
  const [list = '', ...rest] = part.split('=');
  return isDropListName(list.toLowerCase()) && (rest.length === 0 || isHttpUrl(rest.join('=')));
}

/** `you@example.com`. */
export function isMailAddress(text: string): boolean {
  return /^[^\s@,<>]{1,64}@[^\s@,<>]{1,255}$/.test(text);
}

export function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
