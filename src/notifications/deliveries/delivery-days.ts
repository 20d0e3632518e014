import { Controller, Get, Injectable, Param, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiProperty, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentAccount } from '../../auth/index.js';
import { RequiresScope } from '../../auth/views.js';
import { after, Clock, DAY } from '../../kernel/clock.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import { ApiProblems } from '../../platform/http/errors/api-problems.js';
import { CHANNEL_ID, ChannelOwnershipGuard } from '../channels/channel-ownership.guard.js';

const DAYS = 30;
const Count = (example: number, description: string) => ApiProperty({ type: 'integer', example, description });

class DeliveryDayView {
  @ApiProperty({ format: 'date', example: '2026-12-01', description: 'In UTC.' }) day: string;
  @Count(12, 'Deliveries of this day that have arrived.') delivered: number;
  @Count(1, 'Those that were given up.') failed: number;
  @Count(0, 'Those that wait, are held or were cancelled.') other: number;
}

class DeliveryDaysView {
  @ApiProperty({ type: [DeliveryDayView], minItems: DAYS, maxItems: DAYS, description: 'Today is the last one.' })
  data: DeliveryDayView[];
}

const EXAMPLES = {
  month: {
    summary: 'A month of a channel that failed once',
    value: {
      data: Array.from({ length: DAYS }, (_, n) => ({
        day: `2026-11-${String(n + 1).padStart(2, '0')}`,
        delivered: n % 5,
        failed: n === 12 ? 1 : 0,
        other: 0,
      })),
    } satisfies DeliveryDaysView,
  },
};

/** By the index of a channel's deliveries, newest first. */
const BY_DAY = {
  name: 'deliveries_by_day',
  text: `select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as day,
           (count(*) filter (where state = 'delivered'))::int as delivered,
           (count(*) filter (where state = 'failed'))::int as failed,
           (count(*) filter (where state not in ('delivered', 'failed')))::int as other
         from deliveries
         where channel_id = $2 and created_at >= $3 and exists (
           select from notification_channels c where c.id = $2 and c.account_id = $1)
         group by 1`,
};

/** Counts the deliveries of a channel; one statement. */
@Injectable()
export class DeliveryDays {
  constructor(
    private readonly statements: SqlClient,
    private readonly clock: Clock,
  ) {}

  /** The last thirty days in UTC; today is the last one, and a day without any counts 0. */
  async count(accountId: string, channelId: string): Promise<DeliveryDayView[]> {
    const now = this.clock.now();
    const days = Array.from({ length: DAYS }, (_, n) => toDay(after(now, (n + 1 - DAYS) * DAY)));
    const rows = await this.statements.run<DeliveryDayView>(BY_DAY, [accountId, channelId, `${days[0]}T00:00:00Z`]);
    return days.map((day) => rows.find((row) => row.day === day) ?? { day, delivered: 0, failed: 0, other: 0 });
  }
}

function toDay(at: Date): string {
  return at.toISOString().slice(0, 10);
}

@ApiTags('Notifications')
@Controller('v1/notifications')
export class DeliveryDaysController {
  constructor(private readonly days: DeliveryDays) {}

  @Get(':id/deliveries/days')
  @UseGuards(ChannelOwnershipGuard)
  @RequiresScope('notifications:read')
  @ApiOperation({
    operationId: 'countDeliveriesByDay',
    summary: 'Count the deliveries of a channel in the last thirty days',
  })
  @ApiParam(CHANNEL_ID)
  @ApiOkResponse({ description: 'A day each.', type: DeliveryDaysView, examples: EXAMPLES })
  @ApiProblems('not_found')
  async show(@CurrentAccount() account: Caller['account'], @Param('id') id: string): Promise<DeliveryDaysView> {
    return { data: await this.days.count(account.id, id) };
  }
}
