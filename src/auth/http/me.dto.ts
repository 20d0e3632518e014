import { ApiProperty } from '@nestjs/swagger';
import type { PlanLimits } from '../../kernel/plan-limits.js';
import { ListedKeyView } from './keys.dto.js';

const UTC = { type: 'string', format: 'date-time', example: '2026-11-21T02:00:00.000Z' } as const;
const Limit = (example: number) => ApiProperty({ type: 'integer', nullable: true, example });

class AccountView {
  @ApiProperty({ example: 'acc_01jd6z0v8q3m4n5p6r7s8t9vwx' }) id: string;
  @ApiProperty({ example: 'Example Ltd' }) name: string;
  @ApiProperty({ example: 'selfhost' }) plan: string;
  @ApiProperty(UTC) created_at: string;
}

class LimitsView {
  @ApiProperty({ type: [Number], example: [720, 1_440], description: 'What `interval_minutes` may be.' })
  intervals: readonly number[];
  @ApiProperty({ type: 'integer', example: 1_440 }) default_interval: number;
  @Limit(10) entries: number | null;
  @Limit(2) channels: number | null;
  @Limit(60) requests_per_minute: number | null;
  @Limit(20) bulk: number | null;
  @Limit(90) history_days: number | null;
}

class UseView {
  @ApiProperty({ type: 'integer', example: 3 }) entries: number;
  @ApiProperty({ type: 'integer', example: 1 }) channels: number;
}

export class MeView {
  @ApiProperty({ type: AccountView }) account: AccountView;
  @ApiProperty({ type: LimitsView, description: 'Of the plan; null where it has no limit.' }) limits: LimitsView;
  @ApiProperty({ type: UseView, description: 'What the account holds of it.' }) use: UseView;
  @ApiProperty({ type: ListedKeyView, description: 'The key that was sent.' }) key: ListedKeyView;
}

/** Plans use zero for no limit. */
export function toLimitsView(limits: PlanLimits): LimitsView {
  const { intervals, default_interval, entries, channels, requests_per_minute, bulk, history_days } = limits;
  const bounded = (limit: number) => (limit === 0 ? null : limit);
  return {
    ...{ intervals, default_interval, entries: bounded(entries), channels: bounded(channels) },
    ...{ requests_per_minute: bounded(requests_per_minute), bulk: bounded(bulk), history_days: bounded(history_days) },
  };
}
