import { aChange } from './notification-events.js';

/** Texts that pass for more than text where somebody forgot that others wrote them. */
export const HOSTILE_TEXTS: Readonly<Record<string, string>> = {
  'a link': '[Verify](https://evil.example/a) and [b][c] and <https://evil.example/|Verify>',
  'an image': '![x](https://evil.example/x.png) <img src=x onerror=alert(1)>',
  mentions: '@everyone @channel <!here> <@U012AB3CD> <#C1> <users/all> <at>all</at> #general ~town-square',
  'a bare URL': 'renew at https://evil.example/ or HTTP://evil.example or www.evil.example',
  'line breaks': 'a\r\n# b\n> c\u2028- d\u0085e\n```\ncode',
  'control characters': 'a\u0000\u0007\u001b[31mb\u009bc\ud800',
  'characters that turn the direction': '\u202Egnp.exe\u2066 \u200f\u061c',
  'code fences': '```js\nx``` `y` ~~z~~ **b** _i_ ||s||',
  'a very long text': `${'<*_`[&"é😀](@'.repeat(1_000)}`,
};
/** The data of an event with a text in one field that registries and registrars fill. */
export const REGISTRY_FIELDS: Readonly<Record<string, (text: string) => object>> = {
  'the name of a registrar': (text) => record('registrar', { name: text, iana_id: text }),
  'a status': (text) => record('statuses', [text, `2${text}`]),
  'a name server': (text) => record('nameservers', [text]),
  'a DS record': (text) => record('ds', [{ key_tag: 1, algorithm: 8, digest_type: 2, digest: text }]),
  'the date of a transfer': (text) => record('last_transfer', text),
};
/** The same for what accounts fill. */
export const ACCOUNT_FIELDS: Readonly<Record<string, (text: string) => object>> = {
  'the note of a renewal': (text) => ({ renewal: { on: '2027-03-01', note: text } }),
  'a tag': (text) => ({ tags: [text] }),
  'the note of an entry': (text) => ({ note: text }),
  'a name in Unicode': (text) => ({ domain_unicode: text }),
};
export function record(kind: string, after: unknown): object {
  return { kind, before: after, after, purpose: 'own', move: null };
}

/** Such an event, as senders get it. */
export function anEventWith(changes: object) {
  const type = 'kind' in changes ? 'watchlist.record_changed' : 'watchlist.available';
  const data = { ...aChange(), ...changes };
  return {
    id: 'evt_1',
    type,
    body: JSON.stringify({ id: 'evt_1', type, timestamp: '2026-11-23T09:00:00.000Z', data }),
  };
}
