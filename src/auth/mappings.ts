import { defineEntity, p } from '@mikro-orm/core';
import { Account } from './domain/account.js';
import { ApiKey } from './domain/api-key.js';
import type { Scope } from './domain/scope.js';
import type { Mappable } from '../platform/database/mapped-columns.js';

const accountMapping = defineEntity({
  class: Account as unknown as Mappable<Account>,
  tableName: 'accounts',
  properties: {
    id: p.text().primary(),
    name: p.text(),
    plan: p.text(),
    createdAt: p.datetime(3),
    suspendedAt: p.datetime(3).nullable(),
    deletionStartedAt: p.datetime(3).nullable(),
    isOperator: p.boolean(),
  },
});

const apiKeyMapping = defineEntity({
  class: ApiKey as unknown as Mappable<ApiKey>,
  tableName: 'api_keys',
  properties: {
    id: p.text().primary(),
    accountId: p.text(),
    name: p.text(),
    digest: p.text(),
    scopes: p.array().$type<readonly Scope[]>(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3).nullable(),
    lastUsedAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
    issuedBy: p.text(),
  },
});

export const authMappings = [accountMapping, apiKeyMapping];
