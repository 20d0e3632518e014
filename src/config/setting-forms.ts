import ipaddr from 'ipaddr.js';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { idOfApiKey } from '../kernel/api-key-format.js';

/** Records a problem, described in one line. */
export type AddProblem = (problem: string) => void;

/** Parses the text of a setting. Errors and docs/configuration.md use `wanted` to say which texts are valid. */
export interface Form<Value> {
  readonly wanted: string;
  /**
   * @param file the file that contained the text, if any
   * @returns undefined if the text is invalid
   */
  readonly parse: (text: string, addProblem: AddProblem, file?: string) => Value | undefined;
  /** Whether an error may repeat the text. Not set where the text may contain a password. */
  readonly isShown?: boolean;
}

/** The definition of one setting, from which its value in `Config`, its errors and its documentation are made. */
export interface Setting<Value> {
  /** The environment variable. */
  readonly name: string;
  readonly form: Form<Value>;
  readonly default: Value;
  /** The description in docs/configuration.md: one line of Markdown. */
  readonly about: string;
  /** Why installations need different values. A value that all installations share should be a constant instead. */
  readonly differs?: string;
  /** The value of a secret is never printed. It may also come from a file, whose path is in `NAME_FILE`. */
  readonly isSecret: boolean;
  /** Whether the service refuses to start without a value. */
  readonly isRequired?: boolean;
}

export interface SettingDescription<Value> {
  readonly default: Value;
  readonly about: string;
  readonly differs?: string;
  readonly isSecret?: boolean;
}

export function setting<Value>(
  name: string,
  form: Form<Value>,
  description: SettingDescription<NoInfer<Value>>,
): Setting<Value> {
  return { isSecret: false, ...description, name, form };
}

/** Makes a setting whose value is null if the variable is not set. */
export function optional<Value>(
  name: string,
  form: Form<Value>,
  description: Omit<SettingDescription<Value>, 'default'>,
): Setting<Value | null> {
  return setting<Value | null>(name, form, { ...description, default: null });
}

/** Makes a setting that must have a value. A process that reads the setting refuses to start without a value. */
export function required<Value>(
  name: string,
  form: Form<Value>,
  description: Omit<SettingDescription<Value>, 'default'>,
): Setting<Value> {
  return {
    ...setting<Value | null>(name, form, { ...description, default: null }),
    isRequired: true,
  } as Setting<Value>;
}

export const anyText: Form<string> = { wanted: 'a text', parse: (text) => text };

export function matching(wanted: string, regExp: RegExp): Form<string> {
  return { wanted, parse: (text) => (regExp.test(text) ? text : undefined) };
}

export function wholeNumber(min: number, max: number): Form<number> {
  const parse = (text: string) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
    return value >= min && value <= max ? value : undefined;
  };
  return { wanted: `a whole number from ${min} to ${max}`, parse, isShown: true };
}

export const onOrOff: Form<boolean> = {
  wanted: 'on or off',
  parse: (text) => (/^(on|true|1)$/i.test(text) ? true : /^(off|false|0)$/i.test(text) ? false : undefined),
  isShown: true,
};

export function oneOf<const Word extends string>(...words: Word[]): Form<Word> {
  const parse = (text: string) => words.find((word) => word === text);
  return { wanted: `one of ${words.join(', ')}`, parse, isShown: true };
}

export function url(...protocols: string[]): Form<string> {
  const parse = (text: string) => (protocols.includes(URL.parse(text)?.protocol ?? '') ? text : undefined);
  return { wanted: `a URL with ${protocols.join(' or ')}`, parse };
}

/** Matches several hosts, which `URL` cannot parse but libpq accepts: `postgres://user@one:5432,two:5432/database`. */
const SEVERAL_HOSTS = /^([a-z+]+:\/\/(?:[^/?#]*@)?)([^/?#@]*,[^/?#@]*)([/?#].*)?$/;

/** Parses a server's URL. If there are several hosts, keeps the first and puts all into the parameter `hosts`. */
function parseServerUrl(text: string, ...protocols: string[]): URL | null {
  const [, start = '', hosts, end = ''] = SEVERAL_HOSTS.exec(text) ?? [];
  const names = hosts?.split(',') ?? [];
  if (!names.every((name) => name !== '' && URL.canParse(`postgres://${name}`))) return null;
  const parsed = URL.parse(hosts === undefined ? text : `${start}${names[0]}${end}`);
  if (hosts !== undefined) parsed?.searchParams.set('hosts', hosts);
  return parsed && protocols.includes(parsed.protocol) ? parsed : null;
}

/**
 * Adds the path of the file that contained the URL. Each new connection reads user and password from this file again
 * (`withCurrentLogin`).
 */
function withLoginFile(text: string, file: string | undefined): string {
  if (file === undefined) return text;
  const parsed = new URL(text);
  parsed.searchParams.set('login_file', file);
  return parsed.href;
}

export const postgresUrl: Form<string> = {
  wanted: 'a URL with postgres: or postgresql:, its hosts separated by commas',
  parse: (text, addProblem, file) => {
    const parsed = parseServerUrl(text, 'postgres:', 'postgresql:');
    if (parsed === null) return undefined;
    if (!parsed.searchParams.has('hosts')) return withLoginFile(text, file);
    const target = parsed.searchParams.get('target_session_attrs');
    if (target !== null && !['read-write', 'primary'].includes(target))
      addProblem('target_session_attrs must be read-write or primary: the service writes');
    return withLoginFile(parsed.href, file);
  },
};

/** Matches the name of the primary and perhaps a database number, such as `/mymaster` or `/mymaster/2`. */
const SENTINEL_PATH = /^\/[^/]+(\/\d+)?$/;

/** The URL of a Redis, or of Sentinels that know which Redis is the primary. */
export const redisUrl: Form<string> = {
  wanted:
    'a URL with redis: or rediss:, or with redis+sentinel: or rediss+sentinel:, hosts and the name of the primary',
  parse: (text, _addProblem, file) => {
    const parsed = parseServerUrl(text, 'redis:', 'rediss:', 'redis+sentinel:', 'rediss+sentinel:');
    if (parsed === null) return undefined;
    if (!parsed.protocol.includes('sentinel'))
      return parsed.searchParams.has('hosts') ? undefined : withLoginFile(text, file);
    return SENTINEL_PATH.test(parsed.pathname) ? withLoginFile(parsed.href, file) : undefined;
  },
};

export const httpUrlOrOff: Form<string | null> = {
  wanted: 'an http(s) URL or off',
  parse: (text) => (text === 'off' ? null : isHttpUrl(text) ? text : undefined),
  isShown: true,
};

/** Parses a list such as `a,b,c`. Every part has to pass `isPart`. */
export function listOf(what: string, isPart: (part: string) => boolean): Form<readonly string[]> {
  const parse = (text: string) => {
    const parts = splitList(text).filter((part) => part !== '');
    return parts.every(isPart) ? parts : undefined;
  };
  return { wanted: `a list of ${what}, with commas between`, parse };
}

/** Parses a list such as `com=target,uk=target`. Every target has to pass `isTarget`. */
export function overrides(target: string, isTarget: (text: string) => boolean): Form<ReadonlyMap<string, string>> {
  const isTld = (text: string) => /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/i.test(text);
  const form = listOf(`tld=${target}`, (part) => {
    const [tld, value] = splitAssignment(part);
    return isTld(tld) && isTarget(value ?? '');
  });
  const toEntry = (part: string) => {
    const [tld, value] = splitAssignment(part);
    return [tld.toLowerCase(), value ?? ''] as const;
  };
  return mapped(form, (parts) => new Map(parts.map(toEntry)));
}

export function mapped<From, To>(form: Form<From>, map: (value: From) => To): Form<To> {
  const parse = (text: string, addProblem: AddProblem) => {
    const value = form.parse(text, addProblem);
    return value === undefined ? undefined : map(value);
  };
  return { ...form, parse };
}

function splitAssignment(part: string): [name: string, value?: string] {
  const at = part.indexOf('=');
  return at < 0 ? [part] : [part.slice(0, at), part.slice(at + 1)];
}

function splitList(text: string): string[] {
  return text.split(',').map((part) => part.trim());
}

const MASTER_KEY = /^[A-Za-z0-9+/]{43}=$/;
export const masterKey = matching('the base64 of 32 bytes', MASTER_KEY);
export const masterKeys = listOf('base64 keys of 32 bytes', (key) => MASTER_KEY.test(key));

export const apiKey: Form<string> = {
  wanted: 'a Namewatch key: make one with "npx namewatch key generate"',
  parse: (text) => (idOfApiKey(text) === null ? undefined : text),
};

export const networks = listOf('networks such as 10.0.0.0/8', isNetwork);

/**
 * Reads a file. Returns an empty text if the file is unreadable, because the caller would report `undefined` as a
 * second problem.
 */
export const textFile: Form<string> = {
  wanted: 'the path of a file',
  parse: (path, addProblem) => readTextFile(path, addProblem) ?? '',
};

/** Reads a JSON file that is merged into a built-in table. */
export function jsonFile<Table>(
  builtIn: Table,
  layOver: (json: unknown, addProblem: AddProblem) => Table,
): Form<Table> {
  const parse = (path: string, addProblem: AddProblem) => {
    const json = readJsonFile(path, addProblem);
    return json === undefined ? builtIn : layOver(json, addProblem);
  };
  return { wanted: 'the path of a JSON file', parse };
}

function readJsonFile(path: string, addProblem: AddProblem): unknown {
  const text = readTextFile(path, addProblem);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    return void addProblem(`${path} is not JSON: ${(error as Error).message}`);
  }
}

export function readTextFile(path: string, addProblem: AddProblem): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return void addProblem(`cannot read ${path}: ${code === 'ENOENT' ? 'no such file' : message}`);
  }
}

/** The official drop lists (names that a registry will release) that this service can read, with their addresses. */
const DROP_LIST_URLS = {
  /** The checksum of this list is at the same address with `.sha256` appended. */
  uk: 'https://droplists.nominet.uk/current/uk.csv.gz',
  se: 'https://data.internetstiftelsen.se/bardate_domains.json',
  nu: 'https://data.internetstiftelsen.se/bardate_domains_nu.json',
  /** The URL of a folder with two lists, `expired` and `deleted`. */
  au: 'https://identitydigital.au/domain-drop-lists/',
} as const;

export type DropListName = keyof typeof DROP_LIST_URLS;
export type DropListUrls = ReadonlyMap<DropListName, URL>;

/** Parses the names of drop lists, such as `uk,se`. `uk=https://mirror.example/uk.csv.gz` selects a copy elsewhere. */
export const dropLists: Form<DropListUrls> = mapped(
  listOf('uk, se, nu and au, each perhaps as list=url', (part) => parseDropList(part) !== null),
  (parts) => new Map(parts.map(parseDropList).filter((list) => list !== null)),
);

function parseDropList(part: string): readonly [DropListName, URL] | null {
  const [text, address] = splitAssignment(part);
  const name = text.toLowerCase();
  if (!isDropListName(name) || (address !== undefined && !isHttpUrl(address))) return null;
  return [name, new URL(address ?? DROP_LIST_URLS[name])];
}

function isDropListName(name: string): name is DropListName {
  return Object.hasOwn(DROP_LIST_URLS, name);
}

const IPV4_IN_IPV6 = /^::ffff:/i;

/** Trusts `X-Forwarded-For` of the nearest proxy (`on`), or of the proxies on the list. */
export const trustedProxies: Form<boolean | string[]> = {
  wanted: 'on, off, or a list of networks such as 10.0.0.0/8,192.0.2.7',
  parse: (text) => {
    if (text === 'on' || text === 'true') return true;
    if (text === 'off' || text === 'false') return false;
    // With all addresses (/0) on the list, a client could claim any address.
    const isProxies = (part: string) => isNetwork(part) && !part.endsWith('/0') && !IPV4_IN_IPV6.test(part);
    return splitList(text).every(isProxies) ? splitList(text) : undefined;
  },
  isShown: true,
};

/** Accepts `10.0.0.0/8` or a full address. Refuses `10.1`, which other parsers would read as 10.0.0.1. */
function isNetwork(text: string): boolean {
  const address = text.split('/')[0] ?? '';
  return isIP(address) > 0 && (text === address || ipaddr.isValidCIDR(text));
}

/** Whether the text is an IPv6 prefix of a length that RFC 6052 §2.2 allows, such as `64:ff9b::/96`. */
export function isNat64Prefix(text: string): boolean {
  return isNetwork(text) && isIP(text.split('/')[0] ?? '') === 6 && /\/(?:32|40|48|56|64|96)$/.test(text);
}

export function isHostPort(text: string): boolean {
  const [, port = ''] = /^(?:\[[0-9a-f:.]+\]|[a-z0-9.-]+):(\d{1,5})$/i.exec(text) ?? [];
  return Number(port) >= 1 && Number(port) <= 65_535;
}

/** Whether the text is like `192.0.2.53:53` or `[2001:db8::53]:53`. */
export function isAddressPort(text: string): boolean {
  const address = text.slice(0, text.lastIndexOf(':'));
  return isHostPort(text) && isIP(address.replace(/^\[|\]$/g, '')) > 0;
}

export function isHttpUrl(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '');
}
