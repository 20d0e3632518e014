import { Injectable } from '@nestjs/common';
import { InvalidConfigurationError } from '../../config/invalid-configuration.error.js';
import { MINUTE } from '../../kernel/clock.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { diffAttributes } from '../domain/audit-record.js';
import { AuditTrail } from '../audit/audit-trail.js';
import { PlanCatalogue } from './plan-catalogue.js';
import { PlanSource, type PlansByName } from './plan-source.js';

/** Every process loads them each minute, and notices a change by itself. */
const SAME_CHANGE_MS = 5 * MINUTE;

/** Loads plans at the start of the service, and again while it runs. */
@Injectable()
export class LoadPlans {
  constructor(
    private readonly catalogue: PlanCatalogue,
    private readonly source: PlanSource,
    private readonly audit: AuditTrail,
    private readonly work: UnitOfWork,
  ) {}

  /** @throws InvalidConfigurationError: without its plans the service does not start */
  async requirePlans(): Promise<void> {
    try {
      await this.load();
    } catch (error) {
      throw new InvalidConfigurationError([(error as Error).message], { cause: error });
    }
  }

  /** Runs at the start of a process. Rejects while the source is unusable: those of the settings stay. */
  async load(): Promise<void> {
    this.catalogue.replace(await this.source.load());
  }

  /** Rejects while the source is unusable, or a change cannot be recorded: the plans of before stay. */
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

/** `["entries=100","channels=5"]` by plan, in one order whatever that of the source is. */
function toAuditAttributes(plans: PlansByName): Readonly<Record<string, readonly string[]>> {
  const names = Object.keys(plans).sort();
  const toLimits = (limits: object) =>
    Object.entries(limits)
      .map(([limit, value]) => `${limit}=${JSON.stringify(value)}`)
      .sort();
  return Object.fromEntries(names.map((name) => [name, toLimits(plans[name] ?? {})]));
}
