import type { FactoryProvider } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { type AuditAttributes, AuditTrail as RecordedActs, toExtensionAction } from '../auth/index.js';

/** An act of an extension. */
export interface AuditedAct {
  /** `<extension>.<verb in the past>`, such as `ledger.closed`: lower-case letters, digits, `-` and `_`. */
  readonly action: string;
  /** Whose records have it; null: the operator's. Removed with the account. */
  readonly accountId: string | null;
  /** The id of what was changed. */
  readonly targetId?: string;
  /** What changed, as it was. Never a secret. */
  readonly before?: AuditAttributes;
  /** What changed, as it is since. Never a secret. */
  readonly after?: AuditAttributes;
}

/** The audit trail, for acts of the extension into whose classes it is injected. */
export abstract class AuditTrail {
  /**
   * Who did it and from where are those of the request that is worked on; without one, the service. Inside
   * `UnitOfWork.run` the record commits with the change or not at all; elsewhere it is written at once.
   * @throws Error when the action does not begin with the extension's name
   */
  abstract record(act: AuditedAct): Promise<void>;
}

class ExtensionAuditTrail extends AuditTrail {
  constructor(
    private readonly extension: string,
    private readonly modules: Pick<ModuleRef, 'get'>,
  ) {
    super();
  }

  async record({ action: text, accountId, targetId, ...attributes }: AuditedAct): Promise<void> {
    const action = toExtensionAction(this.extension, text);
    if (action === null)
      throw new Error(
        `the extension ${this.extension} cannot record ${JSON.stringify(text)}: it is no ${this.extension}.<verb>`,
      );
    // Found at the first act: commands that only look up names have no trail.
    await this.modules
      .get(RecordedActs, { strict: false })
      .record({ action, accountId, targetId: targetId ?? null, ...attributes });
  }
}

export function auditTrailOf(extension: string): FactoryProvider<AuditTrail> {
  return {
    provide: AuditTrail,
    inject: [ModuleRef],
    useFactory: (modules: Pick<ModuleRef, 'get'>) => new ExtensionAuditTrail(extension, modules),
  };
}
