import { MINUTE, SECOND } from '../kernel/clock.js';
import { periodicTask } from '../platform/scheduling/periodic-task.js';
import { oldData } from '../platform/scheduling/retention.js';
import { AccountAdminService } from './accounts/account-admin.service.js';
import { AccountLifecycle } from './accounts/account-lifecycle.js';
import { AuditTrail } from './audit/audit-trail.js';
import { RefusedAuthentications } from './authentication/refused-authentications.js';
import { LoadPlans } from './plans/plan-catalogue.js';
import { Sessions } from './sessions/sessions.js';
import { Members } from './members/members.js';
import { MinuteLimits } from './authentication/minute-limits.js';

export const reloadPlans = periodicTask({
  name: 'reload-plans',
  service: LoadPlans,
  intervalMs: MINUTE,
  run: (plans) => plans.reload(),
});

export const finishDeletions = periodicTask({
  name: 'finish-account-deletions',
  service: AccountLifecycle,
  intervalMs: 30 * SECOND,
  async run(accounts, { log, signal }) {
    for (const id of await accounts.finishDeletions(signal))
      log.log({ id }, 'finished an interrupted account deletion');
  },
});

export const OLD_AUDIT_RECORDS = oldData({
  name: 'audit records',
  service: AuditTrail,
  forget: (audit, signal) => audit.purge(signal),
});

export const API_TASKS = [
  periodicTask({
    name: 'record-refused-authentications',
    service: RefusedAuthentications,
    intervalMs: MINUTE,
    run: (refused) => refused.flush(),
  }),
  oldData({ name: 'keys', service: AccountAdminService, forget: (accounts) => accounts.purgeEndedKeys() }),
  oldData({ name: 'sessions', service: Sessions, forget: (sessions) => sessions.purge() }),
  oldData({ name: 'invitations', service: Members, forget: (members) => members.purge() }),
  oldData({ name: 'request counts', service: MinuteLimits, forget: (limits) => limits.purgeExpired() }),
];
