import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Query, Req, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isId } from '../../kernel/identifier.js';
import { ApiProblems } from '../../platform/http/errors/api-problems.js';
import { PageMeta, pageLinks, PageQuery } from '../../platform/http/page.js';
import { ChoiceField, UTC } from '../../platform/http/validation/fields.js';
import { type Caller, CurrentAccount } from '../caller/caller.js';
import { RequiresScope } from '../caller/scope-decorators.js';
import { MemberNotFound } from '../domain/auth.errors.js';
import type { Member } from '../domain/member.js';
import { type Role, ROLES } from '../domain/scope.js';
import { Members } from './members.js';

class MemberView {
  @ApiProperty({ example: 'per_01jd6z0v8q3m4n5p6r7s8t9vwx' }) id: string;
  @ApiProperty({ type: String, nullable: true, example: 'Alice Example' }) name: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'alice@example.test',
    description: 'Verified by the provider.',
  })
  email: string | null;
  @ApiProperty({ enum: ROLES, example: 'editor' }) role: Role;
  @ApiProperty({
    enum: ['invitation', 'group'],
    example: 'invitation',
    description: 'A `group` decides at each sign-in.',
  })
  added_by: Member['addedBy'];
  @ApiProperty(UTC) added_at: string;
  @ApiProperty(UTC) signed_in_at: string;
}

class MembersView {
  @ApiProperty({ type: [MemberView] }) data: MemberView[];
  @ApiProperty({ type: PageMeta }) meta: PageMeta;
}

class ChangeMemberBody {
  @ChoiceField({ enum: ROLES, example: 'editor', description: 'The person’s rights in this account from now on.' })
  role: Role;
}

const MEMBER_ID_PARAM = {
  name: 'id',
  schema: { type: 'string', pattern: '^per_[0-9a-z]{26}$' },
  description: 'The `id` of a member: take one from the list of members.',
} as const;

/** @throws MemberNotFound with a message that does not repeat the given id, because people paste secrets by mistake */
function toPersonId(id: string): string {
  if (isId('per', id)) return id;
  throw new MemberNotFound('of that id');
}

@ApiTags('Members')
@Controller('v1/members')
export class MembersController {
  constructor(private readonly members: Members) {}

  @Get()
  @RequiresScope('admin')
  @ApiOperation({
    operationId: 'listMembers',
    summary: 'List the people of the account, in the order in which they came',
  })
  @ApiOkResponse({ description: 'One page.', type: MembersView })
  @ApiProblems()
  async list(
    @CurrentAccount() { id: accountId }: Caller['account'],
    @Query() { page, per_page }: PageQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<MembersView> {
    const { members, total } = await this.members.list(accountId, { page, perPage: per_page });
    const meta = { page, per_page, total };
    void reply.header('link', pageLinks(request, meta));
    return { data: members.map(toView), meta };
  }

  @Patch(':id')
  @HttpCode(204)
  @RequiresScope('admin')
  @ApiOperation({ operationId: 'changeMember', summary: 'Give a member another role' })
  @ApiParam(MEMBER_ID_PARAM)
  @ApiBody({ type: ChangeMemberBody, examples: { viewer: { value: { role: 'viewer' } } } })
  @ApiNoContentResponse({ description: 'It holds within a second.' })
  @ApiProblems('not_found', 'last_admin', 'unsupported_media_type', 'payload_too_large')
  async change(
    @CurrentAccount() account: Caller['account'],
    @Param('id') id: string,
    @Body() { role }: ChangeMemberBody,
  ): Promise<void> {
    await this.members.changeRole(account.id, toPersonId(id), role, 'keep the last admin');
  }

  @Delete(':id')
  @HttpCode(204)
  @RequiresScope('admin')
  @ApiOperation({ operationId: 'removeMember', summary: 'Take a member out of the account' })
  @ApiParam(MEMBER_ID_PARAM)
  @ApiNoContentResponse({ description: 'Every process refuses the person in this account within a second.' })
  @ApiProblems('not_found', 'last_admin')
  async remove(@CurrentAccount() account: Caller['account'], @Param('id') id: string): Promise<void> {
    await this.members.remove(account.id, toPersonId(id), 'keep the last admin');
  }
}

function toView({ personId, name, email, role, addedBy, addedAt, signedInAt }: Member): MemberView {
  const times = { added_at: addedAt.toISOString(), signed_in_at: signedInAt.toISOString() };
  return { id: personId, name, email, role, added_by: addedBy, ...times };
}
