import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiProperty, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentAccount } from '../../auth/index.js';
import { RequiresScope } from '../../auth/views.js';
import { ApiProblems } from '../../platform/http/errors/api-problems.js';
import { ChannelNotFound } from '../domain/notifications.errors.js';
import { DAYS, DeliveryDays } from './delivery-days.js';
import { CHANNEL_ID } from './delivery-view.js';

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

@ApiTags('Notifications')
@Controller('v1/notifications')
export class DeliveryDaysController {
  constructor(private readonly days: DeliveryDays) {}

  @Get(':id/deliveries/days')
  @RequiresScope('notifications:read')
  @ApiOperation({
    operationId: 'countDeliveriesByDay',
    summary: 'Count the deliveries of a channel in the last thirty days',
  })
  @ApiParam(CHANNEL_ID)
  @ApiOkResponse({ description: 'A day each.', type: DeliveryDaysView, examples: EXAMPLES })
  @ApiProblems('not_found')
  async show(@CurrentAccount() account: Caller['account'], @Param('id') id: string): Promise<DeliveryDaysView> {
    const data = await this.days.count(account.id, id);
    if (!data) throw new ChannelNotFound();
    return { data };
  }
}
