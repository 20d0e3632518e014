import { Injectable } from '@nestjs/common';
import { OperatorRateLimits } from '../../domains/index.js';
import { after, Clock, DAY } from '../../kernel/clock.js';
import type { EntryFilters } from '../domain/entry-filters.js';
import { intersect, monthSpan, type Span } from '../domain/months.js';
import type { FilterQuery } from './list-query.dto.js';

@Injectable()
export class ParseFilters {
  constructor(
    private readonly operators: OperatorRateLimits,
    private readonly clock: Clock,
  ) {}

  run(accountId: string, query: FilterQuery): EntryFilters {
    const { domain, search, expires_within_days: days, expires_in_month: month, tag: tags, id: ids, operator } = query;
    const { status, phase, purpose, paused, failing, answered, drift, import: importId } = query;
    return {
      ...{ accountId, status, phase, purpose, tags, paused, failing, answered, drift, ids, importId },
      domain: domain?.toLowerCase(),
      search: search?.normalize('NFC'), // the normal form in which Unicode names are stored
      expires: intersect([
        ...(days === undefined ? [] : [this.withinDays(days)]),
        ...(month === undefined ? [] : [monthSpan(month)]),
      ]),
      tlds: operator === undefined ? undefined : this.operators.tldsOf(operator),
    };
  }

  private withinDays(days: number): Span {
    const now = this.clock.now();
    return [now, after(now, days * DAY)];
  }
}
