import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBody, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentAccount } from '../../auth/index.js';
import { RequiresScope } from '../../auth/views.js';
import { Clock } from '../../kernel/clock.js';
import { ApiProblems } from '../../platform/http/errors/api-problems.js';
import { PageQuery } from '../../platform/http/page.js';
import { Idempotent } from '../../platform/idempotency/idempotent.interceptor.js';
import { DeliveriesService } from './deliveries.service.js';
import type { Delivery } from '../domain/delivery.js';
import { DeliveryReader } from './delivery-reader.repository.js';
import { ChannelNotFound, DeliveryNotFound, WatchedEntryNotFound } from '../domain/notifications.errors.js';
import {
  CHANNEL_ID,
  DAYS_EXAMPLES,
  DELIVERIES_EXAMPLES,
  REDELIVER_EXAMPLES,
  REPLAY_BODIES,
  REPLAY_EXAMPLES,
  TEST_EXAMPLES,
  DeliveriesView,
  DeliveryDaysView,
  DELIVERY_ID,
  DeliveryView,
  ENTRY_ID,
  deliveryView,
  ReplayBody,
  ReplayView,
} from './delivery-view.js';

@ApiTags('Notifications')
@Controller('v1')
export class DeliveriesController {
  constructor(
    private readonly deliveries: DeliveryReader,
    private readonly service: DeliveriesService,
    private readonly clock: Clock,
  ) {}

  @Get('notifications/:id/deliveries')
  @RequiresScope('notifications:read')
  @ApiOperation({ operationId: 'listDeliveries', summary: 'List the deliveries of a channel, newest first' })
  @ApiParam(CHANNEL_ID)
  @ApiOkResponse({ description: 'One page.', type: DeliveriesView, examples: DELIVERIES_EXAMPLES })
  @ApiProblems('invalid_request', 'not_found')
  async list(
    @CurrentAccount() account: Caller['account'],
    @Param('id') id: string,
    @Query() { page, per_page }: PageQuery,
  ): Promise<DeliveriesView> {
    const deliveries = await this.deliveries.page(account.id, id, page, per_page);
    if (!deliveries) throw new ChannelNotFound();
    const { rows, total } = deliveries;
    return { data: rows.map(deliveryView), meta: { page, per_page, total } };
  }

  @Get('watchlist/:id/deliveries')
  @RequiresScope('notifications:read')
  @ApiOperation({
    operationId: 'listEntryDeliveries',
    summary: 'List the deliveries about an entry, to all channels, newest first',
  })
  @ApiParam(ENTRY_ID)
  @ApiOkResponse({ description: 'One page.', type: DeliveriesView, examples: DELIVERIES_EXAMPLES })
  @ApiProblems('invalid_request', 'not_found')
  async listOfEntry(
    @CurrentAccount() account: Caller['account'],
    @Param('id') id: string,
    @Query() { page, per_page }: PageQuery,
  ): Promise<DeliveriesView> {
    const deliveries = await this.deliveries.pageOfEntry(account.id, id, page, per_page);
    if (!deliveries) throw new WatchedEntryNotFound();
    const { rows, total } = deliveries;
    return { data: rows.map(deliveryView), meta: { page, per_page, total } };
  }

  @Post('notifications/:id/test')
  @Idempotent()
  @HttpCode(202)
  @RequiresScope('notifications:write')
  @ApiOperation({ operationId: 'testNotificationChannel', summary: 'Send a test event to a channel' })
  @ApiParam(CHANNEL_ID)
  @ApiAcceptedResponse({ description: 'The delivery is pending.', type: DeliveryView, examples: TEST_EXAMPLES })
  @ApiProblems('not_found')
  async test(@CurrentAccount() account: Caller['account'], @Param('id') id: string): Promise<DeliveryView> {
    const { delivery, label } = await this.service.test(account.id, id);
    const known = { eventType: 'channel.test', channelLabel: label, change: null, attempts: [] };
    return deliveryView({ ...toStateFields(delivery), ...known });
  }

  @Post('notifications/:id/replay')
  @Idempotent()
  @HttpCode(202)
  @RequiresScope('notifications:write')
  @ApiOperation({ operationId: 'replayDeliveries', summary: 'Redeliver the events of a time range to a channel' })
  @ApiParam(CHANNEL_ID)
  @ApiBody({ type: ReplayBody, examples: REPLAY_BODIES })
  @ApiAcceptedResponse({ description: 'The deliveries are pending.', type: ReplayView, examples: REPLAY_EXAMPLES })
  @ApiProblems('not_found')
  async replay(
    @CurrentAccount() account: Caller['account'],
    @Param('id') id: string,
    @Body() { from, to }: ReplayBody,
  ): Promise<ReplayView> {
    return { count: await this.service.replay(account.id, id, new Date(from), new Date(to)) };
  }

  @Post('deliveries/:id/redeliver')
  @Idempotent()
  @HttpCode(202)
  @RequiresScope('notifications:write')
  @ApiOperation({ operationId: 'redeliver', summary: 'Redeliver an event' })
  @ApiParam(DELIVERY_ID)
  @ApiAcceptedResponse({
    description: 'The delivery is pending again.',
    type: DeliveryView,
    examples: REDELIVER_EXAMPLES,
  })
  @ApiProblems('not_found', 'delivery_pending')
  async redeliver(@CurrentAccount() account: Caller['account'], @Param('id') id: string): Promise<DeliveryView> {
    const delivery = await this.service.redeliver(account.id, id);
    const row = await this.deliveries.find(account.id, id);
    if (!row) throw new DeliveryNotFound();
    return deliveryView({ ...row, ...toStateFields(delivery) });
  }

  @Get('notifications/:id/deliveries/days')
  @RequiresScope('notifications:read')
  @ApiOperation({
    operationId: 'countDeliveriesByDay',
    summary: 'Count the deliveries of a channel in the last thirty days',
  })
  @ApiParam(CHANNEL_ID)
  @ApiOkResponse({ description: 'A day each.', type: DeliveryDaysView, examples: DAYS_EXAMPLES })
  @ApiProblems('not_found')
  async countByDay(@CurrentAccount() account: Caller['account'], @Param('id') id: string): Promise<DeliveryDaysView> {
    const data = await this.deliveries.countByDay(account.id, id, this.clock.now());
    if (!data) throw new ChannelNotFound();
    return { data };
  }
}

/** Takes the state from the delivery as this request stored it, because a worker may have changed the row since. */
function toStateFields({ id, eventId, channelId, state, nextAttemptAt, createdAt }: Delivery) {
  return { id, eventId, channelId, state, nextAttemptAt, createdAt };
}
