import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Req, Res, UseGuards } from '@nestjs/common';
import {
  ApiBody,
  ApiHeader,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, CurrentAccount } from '../../auth/index.js';
import { RequiresScope } from '../../auth/views.js';
import { ApiProblems } from '../../platform/http/errors/api-problems.js';
import { matchesIfMatch, IF_MATCH } from '../../platform/http/hooks/conditional-requests.js';
import { BODY_REFUSALS } from '../../platform/http/errors/problem-catalogue.js';
import { ChannelsService } from './channels.service.js';
import { ChannelReader } from './channel-reader.js';
import type { NotificationChannel } from '../domain/channels/notification-channel.js';
import { channelEtagVersion } from './channel-etag.js';
import { CHANGE_EXAMPLES, ChannelDetailsView, DETAILS_EXAMPLES, detailsView } from './channel-view.js';
import { ChangeChannelBody } from './channel-settings.dto.js';
import { CHANNEL_ID, ChannelOwnershipGuard, requireOwnChannel } from './channel-ownership.guard.js';

@ApiTags('Notifications')
@Controller('v1/notifications/:id')
export class ChannelController {
  constructor(
    private readonly service: ChannelsService,
    private readonly channels: ChannelReader,
  ) {}

  @Get()
  @UseGuards(ChannelOwnershipGuard)
  @RequiresScope('notifications:read')
  @ApiOperation({ operationId: 'getNotificationChannel', summary: 'Show a notification channel' })
  @ApiParam(CHANNEL_ID)
  @ApiOkResponse({ description: 'As it is now.', type: ChannelDetailsView, examples: DETAILS_EXAMPLES })
  @ApiProblems('not_found')
  async show(
    @CurrentAccount() account: Caller['account'],
    @Param('id') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ChannelDetailsView> {
    const details = await requireOwnChannel(this.channels, account.id, id);
    reply.etagVersion = channelEtagVersion(details);
    return detailsView(details);
  }

  @Patch()
  @UseGuards(ChannelOwnershipGuard)
  @RequiresScope('notifications:write')
  @ApiOperation({ operationId: 'changeNotificationChannel', summary: 'Change a notification channel' })
  @ApiParam(CHANNEL_ID)
  @ApiBody({ type: ChangeChannelBody, examples: CHANGE_EXAMPLES })
  @ApiOkResponse({ description: 'As it is now.', type: ChannelDetailsView, examples: DETAILS_EXAMPLES })
  @ApiHeader(IF_MATCH)
  @ApiProblems(...BODY_REFUSALS, 'not_found', 'precondition_failed', 'channel_unconfirmed')
  async change(
    @CurrentAccount() account: Caller['account'],
    @Param('id') id: string,
    @Body() { event_types, tags, headers, active, credential }: ChangeChannelBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ChannelDetailsView> {
    const eventTypes = event_types === null ? [] : event_types;
    const changes = { eventTypes, tags: tags === null ? [] : tags, headers, active, credential };
    const isExpected = (channel: NotificationChannel) => matchesIfMatch(request, channelEtagVersion(channel));
    await this.service.change(account.id, id, changes, isExpected);
    return this.show(account, id, reply);
  }

  @Delete()
  @UseGuards(ChannelOwnershipGuard)
  @HttpCode(204)
  @RequiresScope('notifications:write')
  @ApiOperation({ operationId: 'removeNotificationChannel', summary: 'Remove a notification channel' })
  @ApiParam(CHANNEL_ID)
  @ApiNoContentResponse({ description: 'The channel and its deliveries are deleted.' })
  @ApiProblems('not_found')
  remove(@CurrentAccount() account: Caller['account'], @Param('id') id: string): Promise<void> {
    return this.service.close(account.id, id);
  }
}
