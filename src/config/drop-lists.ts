/** The official drop lists that can be read, with their addresses. */
const DROP_LIST_URLS = {
  /** Beside it, the same name with `.sha256` has its checksum. */
  uk: 'https://droplists.nominet.uk/current/uk.csv.gz',
  se: 'https://data.internetstiftelsen.se/bardate_domains.json',
  nu: 'https://data.internetstiftelsen.se/bardate_domains_nu.json',
  /** A folder of two lists, `expired` and `deleted`. */
  au: 'https://identitydigital.au/domain-drop-lists/',
} as const;

export type DropListName = keyof typeof DROP_LIST_URLS;
export type DropListUrls = ReadonlyMap<DropListName, URL>;

export function isDropListName(name: string): name is DropListName {
  return Object.hasOwn(DROP_LIST_URLS, name);
}

/** @param parts `uk`, or `uk=https://mirror.example/uk.csv.gz` */
export function parseDropLists(parts: readonly string[]): DropListUrls {
  const urls = new Map<DropListName, URL>();
  for (const part of parts) {
    const [text = '', ...rest] = part.split('=');
    const name = text.toLowerCase();
    if (isDropListName(name)) urls.set(name, new URL(rest.length > 0 ? rest.join('=') : DROP_LIST_URLS[name]));
  }
  return urls;
}
