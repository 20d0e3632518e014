import { Module } from '@nestjs/common';
import { WatchConfig } from '../config/sections.js';
import { DomainsModule } from '../domains/domains.module.js';
import { ListedDrops } from '../domains/index.js';
import { computeListedDropWindow, EXPIRING_WINDOW_DAYS, forecastDropWindow } from '../domains/language.js';
import { Clock } from '../kernel/clock.js';
import { TimeUnits } from '../kernel/time-units.js';
import { CheckSchedule, msUntilOffset } from './domain/check-schedule.js';
import { FailureAlertPolicy } from './domain/failure-alert-policy.js';

const checkSchedule = {
  provide: CheckSchedule,
  inject: [WatchConfig, TimeUnits, ListedDrops, Clock],
  useFactory: (config: WatchConfig, units: TimeUnits, listed: ListedDrops, clock: Clock) =>
    new CheckSchedule(
      {
        confirmationSpacingMs: config.confirmationSeconds * 1_000,
        pendingDeleteConfirmationSpacingMs: config.pendingDeleteConfirmationSeconds * 1_000,
        expiringWindowDays: EXPIRING_WINDOW_DAYS,
      },
      units,
      Math.random,
      {
        byRule: forecastDropWindow,
        byList: (name, facts, now) => {
          const listing = listed.find(name.ascii);
          return listing && computeListedDropWindow(listing, facts, now);
        },
      },
      msUntilOffset,
      () => clock.steadySince(),
    ),
};

const failureAlertPolicy = {
  provide: FailureAlertPolicy,
  inject: [TimeUnits],
  useFactory: (units: TimeUnits) => new FailureAlertPolicy(units),
};

/** Decides when a name is checked next, and when failing checks are worth an alert. */
@Module({
  imports: [DomainsModule],
  providers: [checkSchedule, failureAlertPolicy],
  exports: [checkSchedule, failureAlertPolicy],
})
export class CheckScheduleModule {}
