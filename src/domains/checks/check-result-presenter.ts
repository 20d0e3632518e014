import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import type { CheckResult } from './check-domain.js';
import { ListedDrops } from '../drop-lists/listed-drops.js';
import { forecastExpiry } from '../domain/deletion/expiry-forecast.js';
import type { Expansion } from './check-expansions.dto.js';
import type { CheckView } from './check.dto.js';
import { toRecordView } from './record-view.js';
import { toCheckView, toEvidenceView, toLifecycleView } from './check-views.js';

/** The five fields of every check, and the optional sections that were requested. */
@Injectable()
export class CheckResultPresenter {
  constructor(
    private readonly listed: ListedDrops,
    private readonly clock: Clock,
  ) {}

  toView(result: CheckResult, expand: readonly Expansion[]): CheckView {
    const { name, observation, lifecycle } = result;
    const { facts, evidence, record } = observation;
    const { phase } = lifecycle;
    const forecast = () => forecastExpiry(name, facts, phase, this.clock.now(), this.listed.find(name.ascii));
    return {
      ...toCheckView(result),
      ...(expand.includes('lifecycle') && { lifecycle: toLifecycleView(phase, facts, forecast()) }),
      ...(expand.includes('evidence') && { evidence: evidence.map(toEvidenceView) }),
      ...(expand.includes('record') && { record: record ? toRecordView(record) : null }),
    };
  }
}
