import {
  Body,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  Controller,
  Get,
  Post,
  Query,
  Res,
  Delete,
  HttpCode,
  Param,
  Patch,
  Req,
  UseGuards,
} from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  ApiHeader,
  ApiNoContentResponse,
  ApiParam,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, CurrentAccount } from '../../auth/index.js';
import { RequiresScope } from '../../auth/views.js';
import { toPublicPath } from '../../platform/http/request.js';
import { ApiProblems } from '../../platform/http/errors/api-problems.js';
import { Idempotent } from '../../platform/idempotency/idempotent.interceptor.js';
import { ChannelsService } from './channels.service.js';
import { splitSenderType } from '../domain/channel-sender.js';
import { ChannelReader } from '../channels/channel-reader.repository.js';
import {
  CHANGE_EXAMPLES,
  DETAILS_EXAMPLES,
  LIST_EXAMPLES,
  OPEN_EXAMPLES,
  OPENED_EXAMPLES,
  ROTATE_EXAMPLES,
  SECRET_EXAMPLES,
} from './channel-examples.js';
import {
  ChangeChannelBody,
  ChannelDetailsView,
  channelEtagVersion,
  ChannelsQuery,
  ChannelsView,
  detailsView,
  listedView,
  OpenChannelBody,
  OpenedChannelView,
  RotateSecretBody,
  SecretView,
} from './channels.dto.js';
import { matchesIfMatch, IF_MATCH } from '../../platform/http/hooks/conditional-requests.js';
import type { NotificationChannel } from '../domain/notification-channel.js';
import { CHANNEL_ID } from '../deliveries/delivery-view.js';
import { ChannelNotFound } from '../domain/notifications.errors.js';

/** Treats a missing body as `{}`, because every field has a default. */
@Injectable()
class OptionalBodyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (request.body === undefined) request.body = {}; // A body of `null` stays, so that validation refuses it.
    return true;
  }
}

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
  async list(@CurrentAccount() account: Caller['account'], @Query() { expand }: ChannelsQuery): Promise<ChannelsView> {
    if (expand === undefined) return { data: await this.channels.list(account.id) };
    return { data: (await this.channels.listDetails(account.id)).map(listedView) };
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
  @ApiProblems('target_invalid', 'target_not_allowed', 'already_notified', 'label_taken', 'plan_limit_reached')
  async open(
    @CurrentAccount() account: Caller['account'],
    @Body() body: OpenChannelBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<OpenedChannelView> {
    const { channel, secret } = await this.service.open(account, body);
    const { id, target, active, label } = channel;
    const { type, format } = splitSenderType(channel.type);
    void reply.header('location', toPublicPath(reply, `/v1/notifications/${id}`));
    const asked = { ...(format !== null && { format }), ...(label !== null && { label }) };
    return { id, type, ...asked, target, active, ...(secret && { secret: secret.text }) };
  }

  @Get(':id')
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
    const details = await this.channels.find(account.id, id);
    if (!details) throw new ChannelNotFound();
    reply.etagVersion = channelEtagVersion(details);
    return detailsView(details);
  }

  @Patch(':id')
  @RequiresScope('notifications:write')
  @ApiOperation({ operationId: 'changeNotificationChannel', summary: 'Change a notification channel' })
  @ApiParam(CHANNEL_ID)
  @ApiBody({ type: ChangeChannelBody, examples: CHANGE_EXAMPLES })
  @ApiOkResponse({ description: 'As it is now.', type: ChannelDetailsView, examples: DETAILS_EXAMPLES })
  @ApiHeader(IF_MATCH)
  @ApiProblems('not_found', 'precondition_failed', 'label_taken', 'channel_unconfirmed')
  async change(
    @CurrentAccount() account: Caller['account'],
    @Param('id') id: string,
    @Body() body: ChangeChannelBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ChannelDetailsView> {
    const isExpected = (channel: NotificationChannel) => matchesIfMatch(request, channelEtagVersion(channel));
    await this.service.change(account.id, id, body, isExpected);
    return this.show(account, id, reply);
  }

  @Delete(':id')
  @HttpCode(204)
  @RequiresScope('notifications:write')
  @ApiOperation({ operationId: 'removeNotificationChannel', summary: 'Remove a notification channel' })
  @ApiParam(CHANNEL_ID)
  @ApiNoContentResponse({ description: 'The channel and its deliveries are deleted.' })
  @ApiProblems('not_found')
  remove(@CurrentAccount() account: Caller['account'], @Param('id') id: string): Promise<void> {
    return this.service.close(account.id, id);
  }

  @Post(':id/rotate-secret')
  @Idempotent()
  @HttpCode(200)
  @UseGuards(OptionalBodyGuard)
  @RequiresScope('notifications:write')
  @ApiOperation({ operationId: 'rotateNotificationSecret', summary: 'Rotate the secret of a webhook' })
  @ApiParam(CHANNEL_ID)
  @ApiBody({ type: RotateSecretBody, required: false, examples: ROTATE_EXAMPLES })
  @ApiOkResponse({ description: 'At most three secrets sign at a time.', type: SecretView, examples: SECRET_EXAMPLES })
  @ApiProblems('not_found')
  async rotateSecret(
    @CurrentAccount() account: Caller['account'],
    @Param('id') id: string,
    @Body() body: RotateSecretBody,
  ): Promise<SecretView> {
    const secret = await this.service.rotateSecret(account.id, id, body.grace_seconds);
    return { secret: secret.text };
  }
}
