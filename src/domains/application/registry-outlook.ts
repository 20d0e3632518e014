import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import type { DomainName } from '../domain/domain-name.js';
import type { DropWindow } from '../domain/drop-window.js';
import { lifecycleOf, type LifecyclePhase } from '../domain/lifecycle.js';
import type { RegistrationFacts } from '../domain/registration.js';
import { GenericTlds, outlookOf, type Outlook } from '../domain/outlook.js';

/** Says what the registry's rules make of its facts, as of now. */
@Injectable()
export class RegistryOutlook {
  constructor(
    private readonly generic: GenericTlds,
    private readonly clock: Clock,
  ) {}

  of(name: DomainName, facts: RegistrationFacts, phase: LifecyclePhase): Outlook {
    return outlookOf(name, facts, phase, this.generic.has(name.tld), this.clock.now());
  }

  /** When the registry will delete a name that it is deleting, as far as its rules tell. */
  dropWindowOf(name: DomainName, facts: RegistrationFacts, now: Date): DropWindow | null {
    const { phase } = lifecycleOf(facts, 0, now);
    return outlookOf(name, facts, phase, this.generic.has(name.tld), now).dropWindow;
  }
}
