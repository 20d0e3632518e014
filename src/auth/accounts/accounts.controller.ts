import { Body, Controller, Post, Res } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ApiProblems } from '../../platform/http/errors/api-problems.js';
import { toPublicPath } from '../../platform/http/request.js';
import { VISIBLE_LINE, TextField } from '../../platform/http/validation/fields.js';
import { Idempotent } from '../../platform/idempotency/idempotent.interceptor.js';
import { AccountAdminService } from './account-admin.service.js';
import { type Caller, CurrentCaller } from '../caller/caller.js';
import { RequiresScope } from '../caller/scope-decorators.js';
import { NotTheOperator } from '../domain/auth.errors.js';
import { INVITATION_MAILS, type InvitationMail, invitationPath, showMail } from '../domain/member.js';
import { MAIL_ADDRESS_PATTERN } from '../../kernel/mail-address.js';

class OpenAccountBody {
  @TextField({
    example: 'Client Ltd',
    minLength: 1,
    maxLength: 100,
    ...VISIBLE_LINE,
    description: 'Its name, for people.',
  })
  name: string;

  @TextField({ example: 'pro', maxLength: 100, optional: true, description: 'Its plan; without it, `PLAN_DEFAULT`.' })
  plan?: string;

  @TextField({
    example: 'alice@example.test',
    maxLength: 254,
    pattern: MAIL_ADDRESS_PATTERN,
    expected: 'one plain mail address',
    optional: true,
    description: 'The address of its first administrator, who gets an invitation.',
  })
  invite?: string;
}

class OpenedAccountView {
  @ApiProperty({ example: 'acc_01jd6z0v8q3m4n5p6r7s8t9vwx' }) id: string;
  @ApiProperty({ example: 'Client Ltd' }) name: string;
  @ApiProperty({ example: 'pro' }) plan: string;
  @ApiProperty({
    example: 'nw_01jd6z0v8q3m4n5p6r7s8t9vwx_…',
    description: 'Its first key, of scope admin, shown this once.',
  })
  key: string;
  @ApiProperty({
    type: String,
    nullable: true,
    example: '/ui/#invitation=inv_01jd6z0v8q3m4n5p6r7s8t9vwx.…',
    description: 'The path of the link of the invitation, shown this once; null without `invite`.',
  })
  link: string | null;
  @ApiProperty({ enum: INVITATION_MAILS, example: 'queued', description: 'Whether the link is mailed, too.' })
  mail: InvitationMail;
}

@ApiTags('Members')
@Controller('v1/accounts')
export class AccountsController {
  constructor(private readonly accountAdmin: AccountAdminService) {}

  @Post()
  @Idempotent()
  @RequiresScope('admin')
  @ApiOperation({
    operationId: 'openAccount',
    summary: 'Open an account, such as one for a client',
    description:
      'Only for administrators of the account of the people who run this service. A person who opens one administers it.',
  })
  @ApiBody({ type: OpenAccountBody, examples: { client: { value: { name: 'Client Ltd' } } } })
  @ApiCreatedResponse({ description: 'The account, with its first key.', type: OpenedAccountView })
  @ApiProblems('not_found')
  async open(
    @CurrentCaller() { account, by }: Caller,
    @Body() { name, plan, invite }: OpenAccountBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<OpenedAccountView> {
    if (!(await this.accountAdmin.isOperator(account.id))) throw new NotTheOperator();
    const { account: opened, key, invitation } = await this.accountAdmin.openAccount({ name, plan, invite, by });
    const link = invitation && toPublicPath(reply, invitationPath(invitation.token));
    const mail = showMail(invitation?.invitation.mail ?? 'none');
    return { id: opened.id, name, plan: opened.plan, key: key.text, link, mail };
  }
}
