import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { GenericTlds, outlookOf, type Outlook } from '../domain/outlook.js';
import type { CheckResult } from './check-domain.js';

/** Says what the registry's rules make of a result, as of now. */
@Injectable()
export class RegistryOutlook {
  constructor(
    private readonly generic: GenericTlds,
    private readonly clock: Clock,
  ) {}

  of({ name, proof, lifecycle }: CheckResult): Outlook {
    const isGeneric = this.generic.has(name.tld);
    return outlookOf(name, proof.facts, lifecycle.phase, isGeneric, this.clock.now());
  }
}
