import { readFileSync } from 'node:fs';
import type { RedisOptions } from 'ioredis';
import { InvalidConfigurationError } from '../../config/invalid-configuration.error.js';
import { withCurrentLogin } from '../current-login.js';
import { OutageLog } from '../logging/outage-log.js';

/** The driver's options without `replyMapping`, for which the driver has two different types. */
type Options = Omit<RedisOptions, 'replyMapping'>;

/** If a Sentinel is silent, the next Sentinel is asked after this time. */
const SENTINEL_TIMEOUT_MS = 2_000;
const DEFAULT_PORTS = { server: 6_379, sentinel: 26_379 };

/** For each TLS option of Node: the parameter of REDIS_URL that names the file with its value. */
const TLS_FILES = { ca: 'sslrootcert', cert: 'sslcert', key: 'sslkey' };

/** The pause is random, so that processes do not reconnect together. It does not grow during a long outage. */
const reconnectDelayMs = () => 500 + Math.random() * 500;

/**
 * Reads files named in the URL again for each connection, so a new password or certificate needs no restart.
 * @throws InvalidConfigurationError if a TLS file cannot be read
 */
export function redisOptions(url: string, others: Options): Options {
  /** The driver calls this function with its own options as `this`. */
  function reconnect(this: Options): number {
    try {
      Object.assign(this, readFiles(url));
    } catch (error) {
      OutageLog.forDependency('Redis').reportDown((error as Error).message);
    }
    return reconnectDelayMs();
  }
  const strategies = { retryStrategy: reconnect, sentinelRetryStrategy: reconnect };
  try {
    return Object.assign(strategies, others, findServer(new URL(url)), readFiles(url));
  } catch (error) {
    throw new InvalidConfigurationError([`REDIS_URL: cannot read its TLS file: ${(error as Error).message}`]);
  }
}

function findServer(url: URL): Options {
  const [first = '', second = ''] = decodeURIComponent(url.pathname.slice(1)).split('/');
  if (!url.protocol.includes('sentinel'))
    return { ...toAddress(url, DEFAULT_PORTS.server), db: Number(first || url.searchParams.get('db')) };
  const hosts = (url.searchParams.get('hosts') ?? url.host).split(',');
  return {
    sentinels: hosts.map((host) => toAddress(new URL(`redis://${host}`), DEFAULT_PORTS.sentinel)),
    name: first,
    db: Number(second),
    sentinelUsername: url.searchParams.get('sentinel_username') ?? '',
    sentinelPassword: url.searchParams.get('sentinel_password') ?? '',
    connectTimeout: SENTINEL_TIMEOUT_MS,
    sentinelCommandTimeout: SENTINEL_TIMEOUT_MS,
  };
}

function toAddress({ hostname, port }: URL, defaultPort: number) {
  return { host: hostname.replace(/^\[(.*)\]$/, '$1') || '127.0.0.1', port: Number(port) || defaultPort };
}

function readFiles(url: string): Options {
  const { protocol, username, password, searchParams } = new URL(withCurrentLogin(url));
  const login = { username: decodeURIComponent(username), password: decodeURIComponent(password) };
  if (!protocol.startsWith('rediss')) return login;
  const tls = Object.fromEntries(
    Object.entries(TLS_FILES).flatMap(([option, name]) => {
      const path = searchParams.get(name);
      return path === null ? [] : [[option, readFileSync(path)]];
    }),
  );
  return { ...login, tls, sentinelTLS: tls, enableTLSForSentinelMode: true };
}
