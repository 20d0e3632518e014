import type { AuditAction } from '../../../src/auth/index.js';
import type { Call, TestService } from '../servers/test-service.js';
import { createFixture } from './fixtures.js';

/** Creates something to act on. @returns the act */
type Prepare = (service: TestService) => Promise<Call>;

interface AuditedOperation {
  readonly action: AuditAction;
  readonly prepare: Prepare;
}

const POST = { method: 'POST' };
let count = 0;

const onNew = (kind: string, toCall: (id: string) => Call): Prepare => {
  return async (service) => toCall(await createFixture(kind, service, service.account.key));
};
const onChannel = (action: AuditAction, method: string, path: string, body?: unknown): AuditedOperation => {
  const withBody = body === undefined ? {} : { body };
  return { action, prepare: onNew('nc', (id) => ({ method, path: `/v1/notifications/${id}${path}`, ...withBody })) };
};

/** By `operationId`. */
export const AUDITED_OPERATIONS: Readonly<Record<string, AuditedOperation>> = {
  issueKey: {
    action: 'key.issued',
    prepare: () => Promise.resolve({ ...POST, path: '/v1/keys', body: { name: 'audited' } }),
  },
  revokeKey: { action: 'key.revoked', prepare: onNew('key', (id) => ({ method: 'DELETE', path: `/v1/keys/${id}` })) },
  startSession: { action: 'session.started', prepare: () => Promise.resolve({ ...POST, path: '/v1/sessions' }) },
  endSession: {
    action: 'session.ended',
    prepare: onNew('ses', (id) => ({ method: 'DELETE', path: `/v1/sessions/${id}` })),
  },
  endOtherSessions: {
    action: 'session.ended',
    prepare: onNew('ses', () => ({ method: 'DELETE', path: '/v1/sessions' })),
  },
  signOut: {
    action: 'session.ended',
    prepare: async (service) => {
      const { headers } = await service.call({ ...POST, path: '/v1/sessions' });
      const cookie = String(headers['set-cookie']).replace(/;.*/, '');
      const own = { cookie, 'sec-fetch-site': 'same-origin', 'x-requested-with': 'namewatch' };
      return { method: 'DELETE', path: '/v1/sessions/current', key: null, headers: own };
    },
  },
  invite: {
    action: 'invitation.made',
    prepare: () => {
      const body = { email: `t0ken-${(count += 1)}@example.test`, role: 'viewer' };
      return Promise.resolve({ ...POST, path: '/v1/invitations', body });
    },
  },
  revokeInvitation: {
    action: 'invitation.revoked',
    prepare: onNew('inv', (id) => ({ method: 'DELETE', path: `/v1/invitations/${id}` })),
  },
  changeMember: {
    action: 'member.role_changed',
    prepare: onNew('per', (id) => ({ method: 'PATCH', path: `/v1/members/${id}`, body: { role: 'editor' } })),
  },
  removeMember: {
    action: 'member.removed',
    prepare: onNew('per', (id) => ({ method: 'DELETE', path: `/v1/members/${id}` })),
  },
  addNotificationChannel: {
    action: 'channel.added',
    prepare: () => {
      const target = `https://hooks.example.test/t0ken-${(count += 1)}`;
      return Promise.resolve({ ...POST, path: '/v1/notifications', body: { type: 'webhook', target } });
    },
  },
  changeNotificationChannel: onChannel('channel.changed', 'PATCH', '', { tags: ['audited'], active: false }),
  removeNotificationChannel: onChannel('channel.removed', 'DELETE', ''),
  rotateNotificationSecret: onChannel('channel.secret_rotated', 'POST', '/rotate-secret', { grace_seconds: 0 }),
  testNotificationChannel: onChannel('channel.tested', 'POST', '/test'),
  replayDeliveries: onChannel('channel.replayed', 'POST', '/replay', {
    from: '2026-01-01T00:00:00Z',
    to: '2026-01-02T00:00:00Z',
  }),
  redeliver: {
    action: 'delivery.redelivered',
    prepare: async (service) => {
      const call = await onNew('dl', (id) => ({ ...POST, path: `/v1/deliveries/${id}/redeliver` }))(service);
      await service.query(`update deliveries set state = 'delivered', next_attempt_at = null`);
      return call;
    },
  },
  makeCalendarAddress: {
    action: 'calendar.address_made',
    prepare: () => Promise.resolve({ ...POST, path: '/v1/calendar' }),
  },
  revokeCalendarAddress: {
    action: 'calendar.address_revoked',
    prepare: async (service) => {
      await service.call({ ...POST, path: '/v1/calendar' });
      return { method: 'DELETE', path: '/v1/calendar' };
    },
  },
  makeClientPage: {
    action: 'client_page.made',
    prepare: () => Promise.resolve({ ...POST, path: '/v1/client-pages', body: { tags: ['audited'] } }),
  },
  revokeClientPage: {
    action: 'client_page.revoked',
    prepare: onNew('adr', (id) => ({ method: 'DELETE', path: `/v1/client-pages/${id}` })),
  },
  addToWatchlist: {
    action: 'watchlist.added',
    prepare: () => {
      const body = { domain: `audited${(count += 1)}--registered.test`, note: 'a t0ken' };
      return Promise.resolve({ ...POST, path: '/v1/watchlist', body });
    },
  },
  changeWatchlistEntry: {
    action: 'watchlist.changed',
    prepare: onNew('wl', (id) => {
      return { method: 'PATCH', path: `/v1/watchlist/${id}`, body: { interval_minutes: 1440, note: 'a t0ken' } };
    }),
  },
  removeFromWatchlist: {
    action: 'watchlist.removed',
    prepare: onNew('wl', (id) => ({ method: 'DELETE', path: `/v1/watchlist/${id}` })),
  },
  changeManyEntries: {
    action: 'watchlist.changed_many',
    prepare: onNew('wl', () => {
      return { method: 'PATCH', path: '/v1/watchlist?all=true', body: { interval_minutes: 720, note: 'a t0ken' } };
    }),
  },
  removeManyEntries: {
    action: 'watchlist.removed_many',
    prepare: onNew('wl', () => ({ method: 'DELETE', path: '/v1/watchlist?all=true' })),
  },
  importWatchlist: {
    action: 'watchlist.imported',
    prepare: () => {
      const body = `domain\nimported${(count += 1)}--registered.test\nnot a name\n`;
      return Promise.resolve({
        ...POST,
        path: '/v1/watchlist/import',
        body,
        headers: { 'content-type': 'text/csv' },
      });
    },
  },
};

const BY_OPERATOR = 'on the command line: audited-commands.test.ts';
const BY_RECIPIENT = 'by the link of a mail: confirmation.test.ts and unsubscribe.test.ts';

/** Actions of the catalogue that these operations do not leave as they are prepared, and what does. */
export const MADE_ELSEWHERE: Readonly<Partial<Record<AuditAction, string>>> = {
  'account.created': BY_OPERATOR,
  'account.plan_changed': BY_OPERATOR,
  'account.suspended': BY_OPERATOR,
  'account.resumed': BY_OPERATOR,
  'account.deletion_started': BY_OPERATOR,
  'account.deleted': BY_OPERATOR,
  'secrets.resealed': BY_OPERATOR,
  'plans.changed': 'by a process that reads its plans: load-plans.test.ts',
  'authentication.refused': 'counted, not done: audit.test.ts',
  'channel.confirmation_requested': BY_RECIPIENT,
  'channel.confirmed': BY_RECIPIENT,
  'mailbox.unsubscribed': BY_RECIPIENT,
  'member.joined': 'at a sign-in: members.test.ts',
  'watchlist.paused': 'a change: removed-entries.test.ts',
  'watchlist.resumed': 'a change: removed-entries.test.ts',
};

const LINKS = 'by anyone who has the link of a mail: the suites of confirmation and unsubscription test their records';

/** Operations without a record, or whose record is tested elsewhere, and why. */
export const UNAUDITED_OPERATIONS: Readonly<Record<string, string>> = {
  checkDomains: 'reads',
  listDomainVariants: 'reads',
  openAccount: 'its record belongs to the new account: members.test.ts',
  confirm: LINKS,
  unsubscribe: LINKS,
};
