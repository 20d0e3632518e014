import { Body, Controller, Delete, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { isId } from '../../kernel/identifier.js';
import { ApiProblems } from '../../platform/http/errors/api-problems.js';
import { toPublicPath } from '../../platform/http/request.js';
import { ChoiceField, TextField, UTC } from '../../platform/http/validation/fields.js';
import { Idempotent } from '../../platform/idempotency/idempotent.interceptor.js';
import { type Caller, CurrentAccount, CurrentCaller, nameCaller } from '../caller/caller.js';
import { RequiresScope } from '../caller/scope-decorators.js';
import { InvitationNotFound } from '../domain/auth.errors.js';
import { INVITATION_MAILS, type Invitation, type InvitationMail, invitationPath, showMail } from '../domain/member.js';
import { type Role, ROLES } from '../domain/scope.js';
import { MAIL_ADDRESS_PATTERN } from '../../kernel/mail-address.js';
import { Members } from './members.js';

class InviteBody {
  @TextField({
    example: 'alice@example.test',
    minLength: 3,
    maxLength: 254,
    pattern: MAIL_ADDRESS_PATTERN,
    expected: 'one plain mail address',
    description: 'The person who accepts needs this address at the provider, verified.',
  })
  email: string;

  @ChoiceField({ enum: ROLES, example: 'viewer', description: 'The person’s rights in this account.' })
  role: Role;
}

class InvitationView {
  @ApiProperty({ example: 'inv_01jd6z0v8q3m4n5p6r7s8t9vwx' }) id: string;
  @ApiProperty({ example: 'alice@example.test' }) email: string;
  @ApiProperty({ enum: ROLES, example: 'viewer' }) role: Role;
  @ApiProperty({ example: 'key_01jd6z0v8q3m4n5p6r7s8t9vwx' }) invited_by: string;
  @ApiProperty(UTC) created_at: string;
  @ApiProperty(UTC) expires_at: string;
  @ApiProperty({
    enum: INVITATION_MAILS,
    example: 'queued',
    description:
      'Whether its link is mailed, too. There is `none` where the service sends no mail, nobody can sign in, or there is ' +
      'no `PUBLIC_URL` or dashboard. `queued` goes out at once, or when the limits and the mail relay allow. A ' +
      '`failed` mail was refused, or went to an address that takes no mail or has unsubscribed.',
  })
  mail: InvitationMail;
}

class MadeInvitationView extends InvitationView {
  @ApiProperty({
    example: '/ui/#invitation=inv_01jd6z0v8q3m4n5p6r7s8t9vwx.…',
    description:
      'The path of its link at this service, shown this once. Its secret is behind the `#`, which no log has.',
  })
  link: string;
}

class InvitationsView {
  @ApiProperty({ type: [InvitationView] }) data: InvitationView[];
}

@ApiTags('Members')
@Controller('v1/invitations')
export class InvitationsController {
  constructor(private readonly members: Members) {}

  @Get()
  @RequiresScope('admin')
  @ApiOperation({ operationId: 'listInvitations', summary: 'List the invitations that can be accepted, oldest first' })
  @ApiOkResponse({ description: 'At most 100, without their secrets.', type: InvitationsView })
  @ApiProblems()
  async list(@CurrentAccount() { id }: Caller['account']): Promise<InvitationsView> {
    return { data: (await this.members.openInvitations(id)).map(toView) };
  }

  @Post()
  @Idempotent()
  @RequiresScope('admin')
  @ApiOperation({
    operationId: 'invite',
    summary: 'Invite a person; the link is mailed if it can be, and works once, for seven days',
  })
  @ApiBody({ type: InviteBody, examples: { viewer: { value: { email: 'alice@example.test', role: 'viewer' } } } })
  @ApiCreatedResponse({ description: 'The invitation, with its link.', type: MadeInvitationView })
  @ApiProblems('plan_limit_reached')
  async invite(
    @CurrentCaller() { account, by }: Caller,
    @Body() { email, role }: InviteBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<MadeInvitationView> {
    const invite = { accountId: account.id, email, role, invitedBy: nameCaller(by) };
    const { invitation, token } = await this.members.invite(invite);
    return { ...toView(invitation), link: toPublicPath(reply, invitationPath(token)) };
  }

  @Delete(':id')
  @HttpCode(204)
  @RequiresScope('admin')
  @ApiOperation({ operationId: 'revokeInvitation', summary: 'Take an invitation back' })
  @ApiParam({
    name: 'id',
    schema: { type: 'string', pattern: '^inv_[0-9a-z]{26}$' },
    description: 'The `id` of an open invitation: make one, or take one from the list of invitations.',
  })
  @ApiNoContentResponse({ description: 'Its link no longer works.' })
  @ApiProblems('not_found')
  async revoke(@CurrentAccount() account: Caller['account'], @Param('id') id: string): Promise<void> {
    // The message must not repeat `id`: people paste whole links there by mistake.
    if (!isId('inv', id)) throw new InvitationNotFound('of that id');
    await this.members.revokeInvitation(id, account.id);
  }
}

function toView({ id, email, role, invitedBy, createdAt, expiresAt, mail }: Invitation): InvitationView {
  const times = { created_at: createdAt.toISOString(), expires_at: expiresAt.toISOString() };
  return { id, email, role, invited_by: invitedBy, ...times, mail: showMail(mail) };
}
