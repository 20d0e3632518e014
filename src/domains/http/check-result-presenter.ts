import { Injectable } from '@nestjs/common';
import type { CheckResult } from '../application/checks/check-domain.js';
import { ExpiryForecastService } from '../application/registries/expiry-forecast-service.js';
import type { Expansion } from './check-expansions.dto.js';
import type { CheckView } from './check.dto.js';
import { toCheckView, toEvidenceView, toLifecycleView } from './check-views.js';

/** A result as every check tells it: the five fields, and what was asked for besides. */
@Injectable()
export class CheckResultPresenter {
  constructor(private readonly forecasts: ExpiryForecastService) {}

  toView(result: CheckResult, expand: readonly Expansion[]): CheckView {
    const { name, observation, lifecycle } = result;
    const { facts, evidence } = observation;
    const { phase } = lifecycle;
    const forecast = () => this.forecasts.forecast(name, facts, phase);
    return {
      ...toCheckView(result),
      ...(expand.includes('lifecycle') && { lifecycle: toLifecycleView(phase, facts, forecast()) }),
      ...(expand.includes('evidence') && { evidence: evidence.map(toEvidenceView) }),
    };
  }
}
