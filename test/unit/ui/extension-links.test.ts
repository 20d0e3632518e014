import { describe, expect, it } from '@jest/globals';
import type { Extension } from '../../../clients/typescript/src/index.js';
import { findLink, linkPagePath } from '../../../ui/src/screens/extensions/link-paths.js';
import { extensionKinds, kindLabel } from '../../../ui/src/screens/notifications/channel-kinds.js';
import { ROUTES } from '../../../ui/src/routes.js';

const extension = (members: Partial<Extension>): Extension => ({
  name: 'ledger',
  version: null,
  channel_types: [],
  lookup_sources: [],
  scopes: [],
  links: [],
  ...members,
});

describe('a link of an extension, in the dashboard', () => {
  const link = { label: 'Help', path: '/v1/x/ledger/help.txt', public: true };
  const page = `${ROUTES.extensions}/ledger/help.txt`;

  it('has a dashboard page, and that page’s URL leads back to the same link', () => {
    expect(linkPagePath(link.path)).toBe(page);
    const all = [extension({ name: 'other' }), extension({ links: [link] })];
    expect(findLink(all, page)).toMatchObject({ extension: { name: 'ledger' }, link });
    expect(findLink(all, `${ROUTES.extensions}/ledger`)).toBeNull();
    expect(findLink([], page)).toBeNull();
  });

  it.each([
    '@evil.example/v1/x/ledger',
    '.evil.example/v1/x/ledger',
    ':80/v1/x/ledger',
    'https://evil.example/',
    '//evil.example/v1/x/a',
    '/v1/x/../keys',
    '/v1/x/ledger/../../keys',
    '/v1/x/ledger/%2e%2e/keys',
    '/v1/x/ledger?x=1',
    '/v1/x/ledger#x',
    '/v1/x/ledger\\x',
    '/v1/x/',
    '/v1/x',
    '/v1/watchlist',
    'javascript:alert(1)',
    '',
  ])('has no page unless its path is a plain path below /v1/x: %j', (path) => {
    expect(linkPagePath(path)).toBeNull();
    expect(findLink([extension({ links: [{ ...link, path }] })], ROUTES.extensions + path)).toBeNull();
  });
});

describe('an extension’s channel type in the channel form', () => {
  const field = (name: 'target' | 'credential' | 'headers', secret: boolean, example: string | null) => ({
    name,
    required: name !== 'headers',
    secret,
    example,
  });

  it('has inputs for headers and a credential only if the extension declares these fields', () => {
    const types = [
      {
        type: 'acme.pager',
        about: 'Pages a team',
        secret: 'account' as const,
        fields: [field('target', true, 'room/1'), field('credential', true, null), field('headers', true, null)],
      },
      { type: 'slack', about: 'A line', secret: 'none' as const, fields: [field('target', false, 'room/2')] },
    ];
    expect(extensionKinds([extension({ channel_types: types }), extension({})])).toMatchObject([
      {
        label: 'acme.pager: Pages a team',
        type: 'acme.pager',
        placeholder: 'room/1',
        about: 'Pages a team',
        hint: 'The target is a secret: it is sealed and never shown whole again.',
        takesHeaders: true,
        takesCredential: true,
      },
      { key: 'extension slack', type: 'slack', about: 'A line', hint: '', takesHeaders: false, takesCredential: false },
    ]);
  });

  it('is shown under its own name, even if a webhook format is also called "slack"', () => {
    expect(kindLabel({ type: 'acme.pager', format: null })).toBe('acme.pager');
    expect(kindLabel({ type: 'slack', format: null })).toBe('slack');
    expect(kindLabel({ type: 'webhook', format: 'slack' })).toBe('Slack');
    expect(kindLabel({ type: 'webhook' })).toBe('Signed webhook');
  });
});
