import { Body, Controller, Get, Post, Res } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { type Caller, CurrentAccount } from '../../auth/index.js';
import { RequiresScope } from '../../auth/views.js';
import { toPublicPath } from '../../platform/http/request.js';
import { ApiProblems } from '../../platform/http/errors/api-problems.js';
import { POST_REFUSALS } from '../../platform/http/errors/problem-catalogue.js';
import { Idempotent } from '../../platform/idempotency/idempotent.interceptor.js';
import { ChannelsService } from './channels.service.js';
import { splitSenderType } from '../domain/channels/sender-type.js';
import { ChannelReader } from './channel-reader.js';
import {
  ChannelsView,
  LIST_EXAMPLES,
  OPEN_EXAMPLES,
  OPENED_EXAMPLES,
  OpenChannelBody,
  OpenedChannelView,
} from './channels.dto.js';

@ApiTags('Notifications')
@Controller('v1/notifications')
export class NotificationsController {
  constructor(
    private readonly service: ChannelsService,
    private readonly channels: ChannelReader,
  ) {}

  @Get()
  @RequiresScope('notifications:read')
  @ApiOperation({ operationId: 'listNotificationChannels', summary: 'List the notification channels, oldest first' })
  @ApiOkResponse({ description: 'All of them.', type: ChannelsView, examples: LIST_EXAMPLES })
  @ApiProblems('invalid_request')
  async list(@CurrentAccount() account: Caller['account']): Promise<ChannelsView> {
    return { data: await this.channels.list(account.id) };
  }

  @Post()
  @Idempotent()
  @RequiresScope('notifications:write')
  @ApiOperation({ operationId: 'addNotificationChannel', summary: 'Add a notification channel' })
  @ApiBody({ type: OpenChannelBody, examples: OPEN_EXAMPLES })
  @ApiCreatedResponse({
    description: 'An active channel gets events from now on; an email address may have to confirm first.',
    type: OpenedChannelView,
    examples: OPENED_EXAMPLES,
    headers: { Location: { schema: { type: 'string', format: 'uri-reference' } } },
  })
  @ApiProblems(...POST_REFUSALS, 'target_invalid', 'target_not_allowed', 'already_notified', 'plan_limit_reached')
  async open(
    @CurrentAccount() account: Caller['account'],
    @Body() body: OpenChannelBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<OpenedChannelView> {
    const { event_types: eventTypes, ...rest } = body;
    const { channel, secret } = await this.service.open(account, { ...rest, eventTypes });
    const { id, target, active } = channel;
    const { type, format } = splitSenderType(channel.type);
    void reply.header('location', toPublicPath(reply, `/v1/notifications/${id}`));
    return { id, type, ...(format !== null && { format }), target, active, ...(secret && { secret: secret.text }) };
  }
}
