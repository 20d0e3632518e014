import { isTooDeep } from '../../platform/http/validation/json-depth.js';
import { MAX_JSON_DEPTH } from './rdap-json.js';

/** IANA's document has 600; one with fewer than this is truncated or something else. */
const MIN_SERVICES = 100;

/** The servers of an RFC 9224 document by the domain they serve, almost always a TLD. */
export interface BootstrapServers {
  readonly servers: ReadonlyMap<string, URL>;
  /** Domains whose servers offer plain http only, where anybody could answer. */
  readonly insecure: readonly string[];
}

/** Why a document cannot be used. */
export interface InvalidDocument {
  readonly problem: string;
}

/** Parses a bootstrap document (RFC 9224 §3); a wrong shape anywhere invalidates the whole. */
export function parseBootstrapDocument(body: string): BootstrapServers | InvalidDocument {
  const services = parseServices(body);
  if (!services) return { problem: 'not a bootstrap document (RFC 9224)' };
  if (services.length < MIN_SERVICES) return { problem: `only ${services.length} services` };
  const servers = new Map<string, URL>();
  const insecure: string[] = [];
  for (const [domains, urls] of services) {
    const server = urls.map(httpsBaseUrl).find((base) => base !== null);
    for (const domain of domains.map((each) => each.toLowerCase())) {
      if (server) servers.set(domain, server);
      else insecure.push(domain);
    }
  }
  return { servers, insecure };
}

/** Base URLs end with a slash (RFC 9224 §3); without it, resolving a path would drop the last segment. */
export function baseUrl(text: string): URL {
  const url = new URL(text);
  url.pathname = url.pathname.replace(/\/?$/, '/');
  return url;
}

function httpsBaseUrl(text: string): URL | null {
  return URL.canParse(text) && new URL(text).protocol === 'https:' ? baseUrl(text) : null;
}

type Service = readonly [domains: readonly string[], urls: readonly string[]];

function parseServices(body: string): readonly Service[] | null {
  if (isTooDeep(body, MAX_JSON_DEPTH)) return null;
  try {
    const { services } = JSON.parse(body) as { services?: unknown };
    return Array.isArray(services) && services.every(isService) ? services : null;
  } catch {
    return null; // invalid JSON, or `null`
  }
}

function isService(service: unknown): service is Service {
  return Array.isArray(service) && service.length === 2 && service.every(isTextList);
}

function isTextList(list: unknown): boolean {
  return Array.isArray(list) && list.length > 0 && list.every((text) => typeof text === 'string');
}
