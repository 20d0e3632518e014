import { ApiProperty, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Controller, Get } from '@nestjs/common';
import type { PlanLimits } from '../../kernel/plan-limits.js';
import { UTC } from '../../platform/http/validation/fields.js';
import { type Caller, type CallerIdentity, CurrentCaller } from '../caller/caller.js';
import type { ListedKey, ApiKey } from '../domain/api-key.js';
import { toListedKeyView, ListedKeyView } from './keys.dto.js';
import { ApiProblems } from '../../platform/http/errors/api-problems.js';
import { AccountUsage } from './account-usage.js';
import { AllowAnyScope } from '../caller/scope-decorators.js';
import { type Role, ROLES } from '../domain/scope.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import type { Account } from '../domain/account.js';
import { AccountRepository } from './accounts.repository.js';
import { ApiKeyRepository } from './api-keys.repository.js';
import { Members } from '../members/members.js';
import { InvalidToken } from '../domain/auth.errors.js';

const Limit = (example: number) => ApiProperty({ type: 'integer', nullable: true, example });

class AccountView {
  @ApiProperty({ example: 'acc_01jd6z0v8q3m4n5p6r7s8t9vwx' }) id: string;
  @ApiProperty({ example: 'Example Ltd' }) name: string;
  @ApiProperty({ example: 'selfhost' }) plan: string;
  @ApiProperty(UTC) created_at: string;
}

class LimitsView {
  @ApiProperty({ type: [Number], example: [720, 1_440], description: 'The values that `interval_minutes` may have.' })
  intervals: readonly number[];
  @ApiProperty({ type: 'integer', example: 1_440 }) default_interval: number;
  @Limit(10) entries: number | null;
  @Limit(2) channels: number | null;
  @Limit(60) requests_per_minute: number | null;
  @Limit(20) bulk: number | null;
  @Limit(90) history_days: number | null;
}

class UseView {
  @ApiProperty({ type: 'integer', example: 3 }) entries: number;
  @ApiProperty({ type: 'integer', example: 1 }) channels: number;
}

class IdentityView {
  @ApiProperty({ example: 'sso', description: 'The extension that recognized the caller.' }) authenticator: string;
  @ApiProperty({ example: 'alice@example.test' }) subject: string;
  @ApiProperty({ type: String, nullable: true, example: 'Alice Example' }) name: string | null;
  @ApiProperty({ type: [String], example: ['watchlist:read'] }) scopes: readonly string[];
  @ApiProperty({ ...UTC, nullable: true, description: 'When the credential expires.' }) expires_at: string | null;
}

class PersonView {
  @ApiProperty({ example: 'per_01jd6z0v8q3m4n5p6r7s8t9vwx' }) id: string;
  @ApiProperty({ type: String, nullable: true, example: 'Alice Example' }) name: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'alice@example.test' }) email: string | null;
  @ApiProperty({ enum: ROLES, example: 'editor', description: 'In this account.' }) role: Role;
  @ApiProperty({ type: [String], example: ['watchlist:read'] }) scopes: readonly string[];
}

class MembershipView {
  @ApiProperty({ example: 'acc_01jd6z0v8q3m4n5p6r7s8t9vwx' }) id: string;
  @ApiProperty({ example: 'Example Ltd' }) name: string;
  @ApiProperty({ enum: ROLES, example: 'editor' }) role: Role;
}

class MeView {
  @ApiProperty({ type: AccountView }) account: AccountView;
  @ApiProperty({ type: LimitsView, description: 'Of the plan; null where it has no limit.' }) limits: LimitsView;
  @ApiProperty({ type: UseView, description: 'How much of the plan the account uses.' }) use: UseView;
  @ApiProperty({ type: ListedKeyView, nullable: true, description: 'The key that was sent; null for others.' })
  key: ListedKeyView | null;
  @ApiProperty({
    type: IdentityView,
    nullable: true,
    description: 'The caller that an extension recognized by another credential than a key; null for others.',
  })
  identity: IdentityView | null;
  @ApiProperty({ type: PersonView, nullable: true, description: 'The person who signed in; null for others.' })
  person: PersonView | null;
  @ApiProperty({
    type: [MembershipView],
    nullable: true,
    description: 'The accounts of the person, of which `X-Namewatch-Account` names one; null for others.',
  })
  accounts: MembershipView[] | null;
  @ApiProperty({
    description: 'Whether it may open accounts: only administrators of the account of the people who run this service.',
  })
  can_open_accounts: boolean;
}

function toCallerView(
  { by, scopes }: Pick<Caller, 'by' | 'scopes'>,
  storedKey: ListedKey | null,
): Pick<MeView, 'key' | 'identity' | 'person'> {
  const nobody = { key: null, identity: null, person: null };
  if (by.kind === 'key') return { ...nobody, key: storedKey && toListedKeyView(storedKey) };
  if (by.kind === 'person') {
    const { id, name, email, role } = by;
    return { ...nobody, person: { id, name, email, role, scopes } };
  }
  const { authenticator, subject, name, expiresAt } = by;
  const expires_at = expiresAt?.toISOString() ?? null;
  return { ...nobody, identity: { authenticator, subject, name, scopes, expires_at } };
}

/** Shows a limit of 0 as null, because 0 means "no limit" in a plan. */
function toLimitsView(limits: PlanLimits): LimitsView {
  const bounded = (limit: number) => (limit === 0 ? null : limit);
  return {
    intervals: limits.intervals,
    default_interval: limits.default_interval,
    entries: bounded(limits.entries),
    channels: bounded(limits.channels),
    requests_per_minute: bounded(limits.requests_per_minute),
    bulk: bounded(limits.bulk),
    history_days: bounded(limits.history_days),
  };
}

@ApiTags('Keys')
@Controller('v1/me')
export class MeController {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly keys: ApiKeyRepository,
    private readonly work: UnitOfWork,
    private readonly usage: AccountUsage,
    private readonly members: Members,
  ) {}

  @Get()
  @AllowAnyScope()
  @ApiOperation({ operationId: 'getMe', summary: 'Whose key this is, and what it may do' })
  @ApiOkResponse({ description: 'The account, its plan, what it holds, and the key.', type: MeView })
  @ApiProblems()
  async me(@CurrentCaller() { account: { id, plan }, by, scopes }: Caller): Promise<MeView> {
    const [{ account, key }, usage, accounts] = await Promise.all([
      this.read(id, by),
      this.usage.get(id),
      by.kind === 'person' ? this.members.accountsOf(by.id) : null,
    ]);
    const about = { id, name: account.name, plan: plan.name, created_at: account.createdAt.toISOString() };
    return {
      account: about,
      limits: toLimitsView(plan.limits),
      use: usage,
      ...toCallerView({ by, scopes }, key),
      accounts,
      can_open_accounts: scopes.includes('admin') && account.isOperator,
    };
  }

  /** @throws InvalidToken when the account or key was deleted a moment ago */
  private read(accountId: string, by: CallerIdentity): Promise<{ account: Account; key: ApiKey | null }> {
    return this.work.run(async () => {
      const account = await this.accounts.find(accountId);
      const key = by.kind === 'key' ? await this.keys.find(by.id, accountId) : null;
      if (!account || (by.kind === 'key' && !key)) throw new InvalidToken();
      return { account, key };
    });
  }
}
