import { Module } from '@nestjs/common';
import { SecretLinkLimiter } from './authentication/auth-failure-limiter.js';
import { AuthModule } from './auth.module.js';
import { RefusedAuthentications } from './authentication/refused-authentications.js';
import { MeController } from './accounts/me.controller.js';
import { AuditController } from './audit/audit.controller.js';
import { KeysController } from './accounts/keys.controller.js';
import { MinuteLimits } from './authentication/minute-limits.js';
import { API_TASKS } from './auth-tasks.js';
import { SignInConfig } from '../config/sections.js';
import { Clock } from '../kernel/clock.js';
import { SecretBox } from '../platform/crypto/secret-box.js';
import { AccountsController } from './accounts/accounts.controller.js';
import { InvitationsController } from './members/invitations.controller.js';
import { MembersController } from './members/members.controller.js';
import { Members } from './members/members.js';
import { SessionsController } from './sessions/sessions.controller.js';
import { Sessions } from './sessions/sessions.js';
import { IdentityProvider } from './sign-in/identity-provider.js';
import { SignInCookie } from './sign-in/sign-in-cookie.js';
import { SignInController } from './sign-in/sign-in.controller.js';
import { SignIn } from './sign-in/sign-in.service.js';

/**
 * Provides the sign-in by OpenID Connect. If no provider is set, provides null and does not load the client library.
 */
const signIn = {
  provide: SignIn,
  inject: [SignInConfig, SecretBox, Clock, Members, Sessions, MinuteLimits, RefusedAuthentications],
  useFactory: (
    { openId, publicUrl }: SignInConfig,
    box: SecretBox,
    clock: Clock,
    members: Members,
    sessions: Sessions,
    limits: MinuteLimits,
    refused: RefusedAuthentications,
  ): SignIn | null => {
    if (openId === null || publicUrl === null) return null;
    const provider = new IdentityProvider(openId, publicUrl, clock);
    const cookie = new SignInCookie(box, clock, publicUrl);
    void provider.isAvailable(); // asks the provider early, without waiting for an answer
    return new SignIn({ provider, publicUrl, cookie, members, sessions, limits, refused });
  },
};

/** Routes for accounts, people, keys, sessions and the audit trail, and the rate limits of all routes. */
@Module({
  imports: [AuthModule],
  controllers: [
    KeysController,
    MeController,
    AuditController,
    SessionsController,
    MembersController,
    InvitationsController,
    AccountsController,
    SignInController,
  ],
  providers: [SecretLinkLimiter, Sessions, signIn, ...API_TASKS],
  exports: [SecretLinkLimiter],
})
export class AuthApiModule {}
