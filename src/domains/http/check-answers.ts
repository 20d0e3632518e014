import { Injectable } from '@nestjs/common';
import type { CheckResult } from '../application/check-domain.js';
import { RegistryOutlook } from '../application/registry-outlook.js';
import type { Expansion } from './check-expansions.dto.js';
import type { CheckView } from './check.dto.js';
import { checkView, evidenceView, lifecycleView } from './check-views.js';

/** A result as every check tells it: the five fields, and what was asked for besides. */
@Injectable()
export class CheckAnswers {
  constructor(private readonly outlook: RegistryOutlook) {}

  viewOf(result: CheckResult, expand: readonly Expansion[]): CheckView {
    const { name, proof, lifecycle } = result;
    const { facts, evidence } = proof;
    const lifecycleOf = () => lifecycleView(lifecycle.phase, facts, this.outlook.of(name, facts, lifecycle.phase));
    return {
      ...checkView(result),
      ...(expand.includes('lifecycle') && { lifecycle: lifecycleOf() }),
      ...(expand.includes('evidence') && { evidence: evidence.map(evidenceView) }),
    };
  }
}
