/** A domain name that an agency watches for a client. */
export interface ClientName {
  readonly domain: string;
  /** The client's name, which the agency adds to the domain name. */
  readonly client: string;
  readonly purpose: 'own' | 'acquire' | 'monitor';
  readonly registrar: string;
  /** null if nobody has registered the name. */
  readonly expiresInDays: number | null;
}

const REGISTRARS = ['Harbour Domains', 'Example Registrar', 'Namehouse'];
const CLIENTS = [
  'Harbour Tea',
  'Northwind',
  'Oak & Anvil',
  'Paper Kite',
  'Silverfern',
  'Tidemark',
  'Quiet Bridge',
  'Long Meadow',
];
const WORDS = 'amber birch cedar clover dune ember fable fern flint gale glade grove heron indigo ivory juniper kestrel'
  .concat(
    ' lantern linden maple marlow moss nettle opal orchard pebble pine quill raven reed rowan saffron sage thistle willow',
  )
  .split(' ');
const PLACES = ['shop', 'house', 'works', 'market', 'studio', 'garden', 'supply', 'press', 'forge'];
const COUNT = 285;
const YEAR = 365;

/** Returns 285 invented names of eight clients, always the same. Their expiries spread unevenly over a year. */
export function agencyNames(): readonly ClientName[] {
  return Array.from({ length: COUNT }, (_, n) => {
    const client = CLIENTS[(n * 7) % CLIENTS.length] ?? '';
    const word = WORDS[n % WORDS.length] ?? '';
    const place = PLACES[((n % WORDS.length) + Math.floor(n / WORDS.length)) % PLACES.length] ?? '';
    const expiresInDays =
      32 + Math.floor((YEAR + 40) * ((((n * 53) % 97) / 97 + Math.floor(((n * 31) % 7) / 3) * 0.31) % 1) ** 1.3);
    return {
      domain: `${word}-${place}.${n % 3 === 0 ? 'app' : 'shop'}`,
      client,
      registrar: REGISTRARS[n % REGISTRARS.length] ?? '',
      purpose: n % 5 === 0 ? 'monitor' : n % 29 === 3 ? 'acquire' : 'own',
      expiresInDays: n % 41 === 0 ? null : expiresInDays,
    };
  });
}
