import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiPublicProblems } from '../../platform/http/errors/api-problems.js';
import { RouteNotFound } from '../../platform/http/hooks/route-table.js';
import { toPublicPath } from '../../platform/http/request.js';
import { Public } from '../../platform/http/route-access.js';
import { SignIn, type SignInProblem } from './sign-in.service.js';

class ProviderView {
  @ApiProperty({ example: 'login.example.test', description: 'The host of the OpenID Connect provider.' }) name: string;
  @ApiProperty({ description: 'Whether it answers now.' }) available: boolean;
  @ApiProperty({ example: 'https://names.example.test/sign-in', description: 'Where a browser begins to sign in.' })
  sign_in_url: string;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'https://login.example.test/logout?client_id=namewatch',
    description: 'Where a browser ends its session at the provider; null where that has no such page.',
  })
  sign_out_url: string | null;
}

class SignInView {
  @ApiProperty({ type: ProviderView, nullable: true, description: 'Where people sign in; null: by key only.' })
  provider: ProviderView | null;
}

/** Browsers open these routes without an API key. If no sign-in provider is set, most of them answer 404. */
@ApiTags('Signing in')
@Controller()
export class SignInController {
  constructor(@Inject(SignIn) private readonly signIn: SignIn | null) {}

  @Get('sign-in/provider')
  @Public()
  @ApiOperation({ operationId: 'getSignIn', summary: 'How people can sign in' })
  @ApiOkResponse({ description: 'The provider, and whether it answers.', type: SignInView })
  @ApiPublicProblems('invalid_request')
  async describe(): Promise<SignInView> {
    const described = await this.signIn?.describe();
    if (!described) return { provider: null };
    const { name, isAvailable, signInUrl, signOutUrl } = described;
    return { provider: { name, available: isAvailable, sign_in_url: signInUrl, sign_out_url: signOutUrl } };
  }

  @Get('sign-in')
  @Public()
  @ApiExcludeEndpoint()
  async begin(@Req() { query }: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (!this.signIn) throw new RouteNotFound();
    const { to, invitation } = query as { readonly to?: unknown; readonly invitation?: unknown };
    const begun = await this.signIn.begin(to, invitation);
    if (!begun) return void redirect(reply, `/ui/${toFragment('sign_in_unavailable')}`);
    void reply.header('set-cookie', begun.cookie).redirect(begun.url.href, 303);
  }

  @Get('sign-in/callback')
  @Public()
  @ApiExcludeEndpoint()
  async complete(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (!this.signIn) throw new RouteNotFound();
    const query = request.url.split('?').slice(1).join('?');
    const { returnPath, cookies, problem, email } = await this.signIn.complete(query, request);
    void reply.header('set-cookie', [...cookies]);
    redirect(reply, problem === null ? returnPath : withoutFragment(returnPath) + toFragment(problem, email));
  }
}

function redirect(reply: FastifyReply, path: string): void {
  void reply.redirect(toPublicPath(reply, path), 303);
}

/** Uses a fragment, which browsers send to no server, so that no log contains the person's email address. */
function toFragment(problem: SignInProblem, email?: string | null): string {
  return `#${new URLSearchParams({ problem, ...(email ? { email } : {}) }).toString()}`;
}

function withoutFragment(path: string): string {
  return path.replace(/#.*/, '');
}
