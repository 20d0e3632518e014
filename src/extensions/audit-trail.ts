import type { FactoryProvider } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { type AuditAttributes, AuditTrail as RecordedActs, toExtensionAction } from '../auth/index.js';
import type { Extensions } from './extensions.js';

/** An act of an extension. */
export interface AuditedAct {
  /** `<extension>.<verb in the past>`, such as `ledger.closed`: lower-case letters, digits, `-` and `_`. */
  readonly action: string;
  /** The account whose trail has the record; null: the operator's. Removed with the account. */
  readonly accountId: string | null;
  /** The id of what was changed. */
  readonly targetId?: string;
  /** The changed values, as they were. Never a secret. */
  readonly before?: AuditAttributes;
  /** The changed values, as they are since. Never a secret. */
  readonly after?: AuditAttributes;
}

/** The audit trail, for acts of extensions. */
export abstract class AuditTrail {
  /**
   * The actor and the address are those of the request under way; without a request, the service. Inside
   * `UnitOfWork.run` the record commits with the change or not at all; elsewhere it is written at once.
   * @throws Error when the action begins with the name of no extension
   */
  abstract record(act: AuditedAct): Promise<void>;
}

class ExtensionAuditTrail extends AuditTrail {
  constructor(
    private readonly extensions: readonly string[],
    private readonly modules: Pick<ModuleRef, 'get'>,
  ) {
    super();
  }

  async record({ action: text, accountId, targetId, ...attributes }: AuditedAct): Promise<void> {
    const name = this.extensions.find((extension) => text.startsWith(`${extension}.`));
    const action = name === undefined ? null : toExtensionAction(name, text);
    if (action === null)
      throw new Error(`no extension can record ${JSON.stringify(text)}: an act is <extension>.<verb>`);
    // Found at the first act: commands that only look up names have no trail.
    await this.modules
      .get(RecordedActs, { strict: false })
      .record({ action, accountId, targetId: targetId ?? null, ...attributes });
  }
}

export function auditTrailOf({ all }: Extensions): FactoryProvider<AuditTrail> {
  return {
    provide: AuditTrail,
    inject: [ModuleRef],
    useFactory: (modules: Pick<ModuleRef, 'get'>) =>
      new ExtensionAuditTrail(
        all.map(({ name }) => name),
        modules,
      ),
  };
}
