import { Injectable } from '@nestjs/common';
import { InvalidConfigurationError } from '../../config/invalid-configuration.error.js';
import { MINUTE } from '../../kernel/clock.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { diffAttributes } from '../domain/audit-record.js';
import { AuditTrail } from '../audit/audit-trail.js';
import { PlanCatalogue } from './plan-catalogue.js';
import { PlanSource, type PlansByName } from './plan-source.js';

/** Every process notices a change of plans. All equal changes within this time make one audit record. */
const SAME_CHANGE_MS = 5 * MINUTE;

@Injectable()
export class LoadPlans {
  constructor(
    private readonly catalogue: PlanCatalogue,
    private readonly source: PlanSource,
    private readonly audit: AuditTrail,
    private readonly work: UnitOfWork,
  ) {}

  /** @throws InvalidConfigurationError if the plans cannot be loaded, so that the service does not start */
  async requirePlans(): Promise<void> {
    try {
      await this.load();
    } catch (error) {
      throw new InvalidConfigurationError([(error as Error).message], { cause: error });
    }
  }

  /** Loads the plans when a process starts. If the source fails, rejects and keeps the plans of the settings. */
  async load(): Promise<void> {
    this.catalogue.replace(await this.source.load());
  }

  /** Loads the plans again. If the source or the record of a change fails, rejects and keeps the previous plans. */
  async reload(): Promise<void> {
    const plans = await this.source.load();
    await this.recordChange(plans);
    this.catalogue.replace(plans);
  }

  private async recordChange(plans: PlansByName): Promise<void> {
    const current = Object.fromEntries(this.catalogue.all().map(({ name, limits }) => [name, limits]));
    const changed = diffAttributes(toAuditAttributes(current), toAuditAttributes(plans));
    if (changed === null) return;
    const entry = { action: 'plans.changed' as const, accountId: null, targetId: null, ...changed };
    await this.work.run(() => this.audit.recordOnce(entry, SAME_CHANGE_MS));
  }
}

/** Returns the limits of each plan as sorted texts: `["channels=5","entries=100"]`. */
function toAuditAttributes(plans: PlansByName): Readonly<Record<string, readonly string[]>> {
  const names = Object.keys(plans).sort();
  const toLimits = (limits: object) =>
    Object.entries(limits)
      .map(([limit, value]) => `${limit}=${JSON.stringify(value)}`)
      .sort();
  return Object.fromEntries(names.map((name) => [name, toLimits(plans[name] ?? {})]));
}
