import { isTooDeep } from '../../../platform/http/validation/json-depth.js';
import { MAX_JSON_DEPTH } from '../rdap/rdap-json.js';

/** IANA's has 600; a document with fewer than this was cut short or is something else. */
const MIN_SERVICES = 100;

/** The servers of an RFC 9224 document by the domain they serve, almost always a TLD. */
export interface BootstrapServers {
  readonly servers: ReadonlyMap<string, URL>;
  /** Domains whose servers speak plain http only; nobody could tell who answers there. */
  readonly insecure: readonly string[];
}

/** Why a document cannot be used. */
export interface InvalidDocument {
  readonly problem: string;
}

/** Reads a bootstrap document (RFC 9224 §3); a wrong shape anywhere spoils the whole. */
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

/** A base URL ends with a slash (RFC 9224 §3); without one, resolving a path would cut off its last segment. */
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
    return null; // No JSON, or `null`: as broken as any other wrong shape.
  }
}

function isService(service: unknown): service is Service {
  return Array.isArray(service) && service.length === 2 && service.every(isTextList);
}

function isTextList(list: unknown): boolean {
  return Array.isArray(list) && list.length > 0 && list.every((text) => typeof text === 'string');
}
