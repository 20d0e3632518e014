import { describe, expect, it } from '@jest/globals';
import { running } from '../../support/running.js';
import { startTestService } from '../../support/servers/test-service.js';

const service = running(() => startTestService({ ROLE: 'api' }));

const HIDDEN = {
  BELL: '\u0007',
  'LINE FEED': '\n',
  'NEXT LINE': '\u0085',
  'SOFT HYPHEN': '\u00ad',
  'COMBINING GRAPHEME JOINER': '\u034f',
  'ARABIC LETTER MARK': '\u061c',
  'HANGUL CHOSEONG FILLER': '\u115f',
  'MONGOLIAN VOWEL SEPARATOR': '\u180e',
  'ZERO WIDTH SPACE': '\u200b',
  'ZERO WIDTH NON-JOINER': '\u200c',
  'ZERO WIDTH JOINER': '\u200d',
  'RIGHT-TO-LEFT MARK': '\u200f',
  'LINE SEPARATOR': '\u2028',
  'RIGHT-TO-LEFT OVERRIDE': '\u202e',
  'WORD JOINER': '\u2060',
  'INVISIBLE TIMES': '\u2062',
  'LEFT-TO-RIGHT ISOLATE': '\u2066',
  'HANGUL FILLER': '\u3164',
  'ZERO WIDTH NO-BREAK SPACE': '\ufeff',
  'INTERLINEAR ANNOTATION ANCHOR': '\ufff9',
  'TAG LATIN CAPITAL LETTER A': '\u{e0041}',
};

const CHANNEL = { type: 'email', target: 'alice@example.test' };
/** The places that take a name, as titles and failures call them. */
const places: Record<string, (name: string) => { path: string; body: object; method?: string }> = {
  'the name of an account': (name) => ({ path: '/v1/accounts', body: { name } }),
  'the mail address of an invitation': (name) => ({
    path: '/v1/invitations',
    body: { email: `${name}@example.test`, role: 'viewer' },
  }),
  'the host in the mail address of an invitation': (name) => ({
    path: '/v1/invitations',
    body: { email: `a@${name}.test`, role: 'viewer' },
  }),
  'the mail address invited to a new account': (name) => ({
    path: '/v1/accounts',
    body: { name: 'Client', invite: `${name}@example.test` },
  }),
  'the name of a key': (name) => ({ path: '/v1/keys', body: { name, scopes: ['watchlist:read'] } }),
  'the label of a channel': (label) => ({ path: '/v1/notifications', body: { ...CHANNEL, label } }),
  'the tags of a channel': (tag) => ({
    path: '/v1/notifications',
    body: { ...CHANNEL, target: 'bob@example.test', tags: [tag] },
  }),
  'the tags of an entry': (tag) => ({ path: '/v1/watchlist', body: { domain: 'tagged.test', tags: [tag] } }),
  'the tags added to many entries': (tag) => ({
    method: 'PATCH',
    path: '/v1/watchlist?paused=false',
    body: { add_tags: [tag] },
  }),
};

it.each(Object.entries(places))('a name of visible characters is accepted in this place: %s', async (_, call) => {
  const { status } = await service.call({ method: 'POST', ...call('anna') });
  expect([200, 201]).toContain(status);
});

describe('a hidden character', () => {
  it.each(Object.entries(HIDDEN))('is refused in every name, tag and mail address: %s', async (_, character) => {
    for (const [place, call] of Object.entries(places)) {
      const answer = await service.call({ method: 'POST', ...call(`ann${character}a`) });
      expect({ place, status: answer.status }).toEqual({ place, status: 400 });
    }
  });

  it.each(Object.entries(HIDDEN))('matches no entry or gets 400 if used in a tag filter: %s', async (_, character) => {
    const tag = encodeURIComponent(`ann${character}a`);
    const { status, body } = await service.call({ path: `/v1/watchlist?tag=${tag}` });
    expect(status === 200 ? body['data'] : [status]).toEqual(status === 200 ? [] : [400]);
  });
});

it.each(['Käse & Söhne', 'نام', '株式会社', '❤️ brand', '🇩🇪', 'naïve — “quoted”'])(
  'this account name is accepted: %s',
  async (name) => {
    const { status, body } = await service.call({ method: 'POST', path: '/v1/accounts', body: { name } });
    expect({ status, name: body['name'] }).toEqual({ status: 201, name });
  },
);

it('a note with a line break is accepted', async () => {
  const body = { domain: 'noted.test', note: 'one\ntwo' };
  expect(await service.call({ method: 'POST', path: '/v1/watchlist', body })).toMatchObject({ status: 201 });
});
