import { Body, Controller, Delete, Get, HttpCode, Param, Patch, UseGuards } from '@nestjs/common';
import { ApiBody, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentAccount, RequiresScope } from '../../auth/index.js';
import { ApiProblems } from '../../platform/http/api-problems.js';
import { BODY_REFUSALS } from '../../platform/http/problem-groups.js';
import { ChannelsService } from '../application/channels.service.js';
import { NotificationChannels } from '../domain/notification-channel.js';
import { CHANGE_EXAMPLES, ChannelDetailsView, DETAILS_EXAMPLES, detailsView } from './channel-view.js';
import { ChangeChannelBody } from './channel-wishes.dto.js';
import { CHANNEL_ID, OwnChannel, ownChannel } from './own-channel.js';

@ApiTags('Notifications')
@Controller('v1/notifications/:id')
export class ChannelController {
  constructor(
    private readonly service: ChannelsService,
    private readonly channels: NotificationChannels,
  ) {}

  @Get()
  @UseGuards(OwnChannel)
  @RequiresScope('notifications:read')
  @ApiOperation({ operationId: 'getNotificationChannel', summary: 'Show a notification channel' })
  @ApiParam(CHANNEL_ID)
  @ApiOkResponse({ description: 'As it is now.', type: ChannelDetailsView, examples: DETAILS_EXAMPLES })
  @ApiProblems('not_found')
  async show(@CurrentAccount() account: Caller['account'], @Param('id') id: string): Promise<ChannelDetailsView> {
    return detailsView(await ownChannel(this.channels, account.id, id));
  }

  @Patch()
  @UseGuards(OwnChannel)
  @RequiresScope('notifications:write')
  @ApiOperation({ operationId: 'changeNotificationChannel', summary: 'Change a notification channel' })
  @ApiParam(CHANNEL_ID)
  @ApiBody({ type: ChangeChannelBody, examples: CHANGE_EXAMPLES })
  @ApiOkResponse({ description: 'As it is now.', type: ChannelDetailsView, examples: DETAILS_EXAMPLES })
  @ApiProblems(...BODY_REFUSALS, 'not_found', 'channel_unconfirmed')
  async change(
    @CurrentAccount() account: Caller['account'],
    @Param('id') id: string,
    @Body() { event_types, tags, headers, active }: ChangeChannelBody,
  ): Promise<ChannelDetailsView> {
    const eventTypes = event_types === null ? [] : event_types;
    await this.service.change(account.id, id, { eventTypes, tags: tags === null ? [] : tags, headers, active });
    return detailsView(await ownChannel(this.channels, account.id, id));
  }

  @Delete()
  @UseGuards(OwnChannel)
  @HttpCode(204)
  @RequiresScope('notifications:write')
  @ApiOperation({ operationId: 'removeNotificationChannel', summary: 'Remove a notification channel' })
  @ApiParam(CHANNEL_ID)
  @ApiNoContentResponse({ description: 'It is told nothing more, and its deliveries are gone with it.' })
  @ApiProblems('not_found')
  remove(@CurrentAccount() account: Caller['account'], @Param('id') id: string): Promise<void> {
    return this.service.close(account.id, id);
  }
}
