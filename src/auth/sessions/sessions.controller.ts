import { Controller, Delete, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SecretToken } from '../../platform/crypto/secret-token.js';
import { isId } from '../../kernel/identifier.js';
import { ApiProblems } from '../../platform/http/errors/api-problems.js';
import { toPublicPath } from '../../platform/http/request.js';
import { UTC } from '../../platform/http/validation/fields.js';
import { type Caller, CurrentCaller, CurrentHolder, type SessionHolder } from '../caller/caller.js';
import { AboutSession, AllowAnyScope } from '../caller/scope-decorators.js';
import { SessionNotFound, SessionsAreOfKeys } from '../domain/auth.errors.js';
import type { Session } from '../domain/session.js';
import { SessionCookie } from './session-cookie.js';
import { Sessions } from './sessions.js';

class SessionView {
  @ApiProperty({ example: 'ses_01jd6z0v8q3m4n5p6r7s8t9vwx' }) id: string;
  @ApiProperty(UTC) created_at: string;
  @ApiProperty({ ...UTC, description: 'Noted every few minutes.' }) used_at: string;
  @ApiProperty({ ...UTC, description: 'It ends then at the latest, and earlier when it is not used.' }) ends_at: string;
  @ApiProperty({ type: String, nullable: true, example: '203.0.113.9', description: 'Where it began.' })
  address: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'Mozilla/5.0', description: 'As the browser calls itself.' })
  user_agent: string | null;
  @ApiProperty({ description: 'Whether this request came with this session.' }) current: boolean;
}

class SessionsView {
  @ApiProperty({ type: [SessionView] }) data: SessionView[];
}

class EndedView {
  @ApiProperty({ type: 'integer', example: 2 }) ended: number;
}

@ApiTags('Sessions')
@Controller('v1/sessions')
export class SessionsController {
  constructor(
    private readonly sessions: Sessions,
    private readonly cookie: SessionCookie,
  ) {}

  @Post()
  @AllowAnyScope()
  @ApiOperation({
    operationId: 'startSession',
    summary: 'Exchange the key of this request for a cookie',
    description:
      'The cookie acts as the key, until it ends or the key does. It is for browsers, and https or this machine only.',
  })
  @ApiCreatedResponse({ description: 'The session; its cookie is in `Set-Cookie`.', type: SessionView })
  @ApiProblems()
  async start(
    @CurrentCaller() { account, by }: Caller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionView> {
    if (by.kind !== 'key' || request.headers.authorization === undefined) throw new SessionsAreOfKeys();
    const actor = { type: 'key', id: by.id, name: null } as const;
    const signingIn = { owner: { keyId: by.id }, actor, accountId: account.id };
    const { session, cookie } = await this.sessions.start(signingIn, request);
    void reply.header('set-cookie', cookie).header('location', toPublicPath(reply, `/v1/sessions/${session.id}`));
    return toView(session, session.id);
  }

  @Get()
  @AboutSession()
  @ApiOperation({ operationId: 'listSessions', summary: 'List the sessions of your key, or your own, newest first' })
  @ApiOkResponse({ description: 'At most 100: one more ends the oldest.', type: SessionsView })
  @ApiProblems()
  async list(@CurrentHolder() holder: SessionHolder, @Req() request: FastifyRequest): Promise<SessionsView> {
    const currentId = this.current(request)?.id ?? null;
    return { data: (await this.sessions.list(holder)).map((session) => toView(session, currentId)) };
  }

  @Delete()
  @AboutSession()
  @ApiOperation({ operationId: 'endOtherSessions', summary: 'End the sessions of your key, or your own, but this one' })
  @ApiOkResponse({ description: 'How many.', type: EndedView })
  @ApiProblems()
  async endOthers(@CurrentHolder() holder: SessionHolder, @Req() request: FastifyRequest): Promise<EndedView> {
    return { ended: await this.sessions.endAll(holder, this.current(request)) };
  }

  @Delete('current')
  @HttpCode(204)
  @AboutSession()
  @ApiOperation({ operationId: 'signOut', summary: 'End the session of this request, and delete its cookie' })
  @ApiNoContentResponse({ description: 'Every process refuses it within a second. A request by key has none to end.' })
  @ApiProblems()
  async signOut(
    @CurrentHolder() holder: SessionHolder,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const current = this.current(request);
    if (!current) return;
    await this.sessions.end(current.id, holder);
    void reply.header('set-cookie', this.cookie.clear(request));
  }

  @Delete(':id')
  @HttpCode(204)
  @AboutSession()
  @ApiOperation({ operationId: 'endSession', summary: 'End a session' })
  @ApiParam({
    name: 'id',
    schema: { type: 'string', pattern: '^ses_[0-9a-z]{26}$' },
    description: 'The `id` of a session: take one from the list of sessions.',
  })
  @ApiNoContentResponse({ description: 'Every process refuses it within a second.' })
  @ApiProblems('not_found')
  async end(@CurrentHolder() holder: SessionHolder, @Param('id') id: string): Promise<void> {
    if (!isId('ses', id)) throw new SessionNotFound('of that id'); // hides the text, which may be a pasted cookie
    if (!(await this.sessions.end(id, holder))) throw new SessionNotFound(id);
  }

  /** Returns the token in the cookie. Returns null if the request has a key, which overrules the cookie. */
  private current(request: FastifyRequest): SecretToken | null {
    return request.headers.authorization === undefined ? this.cookie.peek(request) : null;
  }
}

function toView(session: Session, currentId: string | null): SessionView {
  const { id, createdAt, usedAt, endsAt, address, userAgent } = session;
  return {
    id,
    created_at: createdAt.toISOString(),
    used_at: usedAt.toISOString(),
    ends_at: endsAt.toISOString(),
    address,
    user_agent: userAgent,
    current: id === currentId,
  };
}
