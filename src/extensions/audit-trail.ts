import type { FactoryProvider } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { type AuditAttributes, AuditTrail as RecordedActs, toExtensionAction } from '../auth/index.js';
import type { Extensions } from './extensions.js';

/** An action of an extension, to be recorded. */
export interface AuditedAct {
  /** `<extension>.<verb in the past>`, such as `ledger.closed`: lower-case letters, digits, `-` and `_`. */
  readonly action: string;
  /** The account whose trail gets the record; null for the operator. The record is deleted with the account. */
  readonly accountId: string | null;
  /** The id of what was changed. */
  readonly targetId?: string;
  /** The changed values before the action. Never a secret. */
  readonly before?: AuditAttributes;
  /** The changed values after the action. Never a secret. */
  readonly after?: AuditAttributes;
}

export abstract class AuditTrail {
  /**
   * Inside `UnitOfWork.run`, the record is committed together with the change. Elsewhere it is committed at once.
   * @throws Error if the action is not `<extension>.<verb>`
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
    // Gets the audit trail only here, because commands without a database have none.
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
